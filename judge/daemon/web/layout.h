/* What all pages have: head, navigation, the notice, foot. */
#ifndef DAEMON_WEB_LAYOUT_H
#define DAEMON_WEB_LAYOUT_H

#include "daemon/web/view.h"

enum section {
    SECTION_NONE,
    SECTION_PROBLEMS,
    SECTION_SUBMISSIONS,
    SECTION_STANDING,
    SECTION_FEED,
    SECTION_GROUPS,
    SECTION_STAFF,
    SECTION_ABOUT
};

/* Begins a page with this title, up to the beginning of its main part. With refresh_s a
 * browser that runs no script asks for the page again after so many seconds; 0: it does
 * not. */
void layout_begin(struct view *v, const char *title, enum section section, int refresh_s);
void layout_end(struct view *v);

/* The status of a page: 400 where it begins with a notice of what was not done. */
int layout_status(const struct view *v);

/* Between these stands what only a browser shows that runs no script of ours. */
void layout_begin_unscripted(struct view *v);
void layout_end_unscripted(struct view *v);

/* A whole page that says what went wrong. */
void layout_error(struct view *v, int status, const char *sentence);

/* Links to the pages before and behind one of a list. `path` is the list's address as it
 * stands in an attribute, up to a ? or an &amp;. */
void layout_pages(struct view *v, const struct html *path, long long page, bool more);

/* Writes a statement, which is Markdown. */
void layout_statement(struct view *v, const char *markdown);

/* The title of a problem, or its slug where its spec does not load, or where the problem
 * is hidden from who asks. */
const char *layout_title(const struct view *v, const char *slug);

#endif
