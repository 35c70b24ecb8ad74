/* The pages: their addresses, who may ask for them, and which function begins each. What
 * a page shows is decided by the calls of the API that it makes (view.h). */
#ifndef DAEMON_WEB_PAGE_ROUTES_H
#define DAEMON_WEB_PAGE_ROUTES_H

#include "daemon/routes.h"

#include <stdbool.h>

struct address;

extern const struct route page_routes[];
extern const size_t page_route_count;

/* Is this a request for a page? So it is at a page's address, and elsewhere beside the
 * API where a browser asks, which can show a page with an error. */
bool page_is_asked(struct http_call *c, const struct address *a);

void page_problems(struct http_call *c);
void page_problem(struct http_call *c); /* arg 0: slug */
void page_submit(struct http_call *c);  /* arg 0: slug */
void page_preview(struct http_call *c); /* arg 0: slug */
void page_board(struct http_call *c);   /* arg 0: slug */
void page_submissions(struct http_call *c);
void page_submission(struct http_call *c); /* arg 0: id */
void page_assembly(struct http_call *c);   /* arg 0: id */
void page_cancel(struct http_call *c);     /* arg 0: id */
void page_compare(struct http_call *c);
void page_standing(struct http_call *c);
void page_feed(struct http_call *c);
void page_user(struct http_call *c); /* arg 0: name */
void page_groups(struct http_call *c);
void page_change_groups(struct http_call *c);
void page_group(struct http_call *c);         /* arg 0: name */
void page_change_group(struct http_call *c);  /* arg 0: name */
void page_roster(struct http_call *c);        /* arg 0: name of a group */
void page_change_roster(struct http_call *c); /* arg 0: name of a group */
void page_grades(struct http_call *c);        /* arg 0: name of a group */
void page_staff(struct http_call *c);
void page_calibrations(struct http_call *c);
void page_announcements(struct http_call *c);
void page_change_announcements(struct http_call *c);
void page_users(struct http_call *c);
void page_change_users(struct http_call *c);
void page_user_account(struct http_call *c);        /* arg 0: name */
void page_change_user_account(struct http_call *c); /* arg 0: name */
void page_equal(struct http_call *c);
void page_all_grades(struct http_call *c);
void page_rejudge(struct http_call *c);
void page_change_rejudge(struct http_call *c);
void page_own_account(struct http_call *c);
void page_change_own_account(struct http_call *c);
void page_sign_in(struct http_call *c);
void page_begin_session(struct http_call *c);
void page_sign_out(struct http_call *c);
void page_join(struct http_call *c);
void page_make_account(struct http_call *c);
void page_about(struct http_call *c);
void page_asset(struct http_call *c); /* arg 0: name */

#endif
