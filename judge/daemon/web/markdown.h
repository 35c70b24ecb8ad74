/* Statements, whose Markdown is rendered by Debian's cmark. Raw HTML in a statement, and
 * links of unsafe schemes, are left out. */
#ifndef DAEMON_WEB_MARKDOWN_H
#define DAEMON_WEB_MARKDOWN_H

#include "daemon/web/html.h"

/* The caller frees m->html. The statement's first heading is left out, because a page has
 * its own; headings below it are h2 and less. */
struct markup markdown_statement(const char *text);

#endif
