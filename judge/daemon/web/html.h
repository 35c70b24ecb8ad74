/* HTML of pages: base/html.h, and what another library has made. That is a type of its
 * own, so that no text is taken for it by mistake. */
#ifndef DAEMON_WEB_HTML_H
#define DAEMON_WEB_HTML_H

#include "base/html.h"

/* HTML that is safe already. Only markdown.c makes it. */
struct markup {
    char *html; /* owned */
};

void html_markup(struct html *h, const struct markup *m);

#endif
