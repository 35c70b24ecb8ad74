#include "daemon/web/page_routes.h"

#include "daemon/address.h"
#include "daemon/http.h"

#include <string.h>

/* tests/e2e/test_pages.py reads these rows, and asks for each. */
const struct route page_routes[] = {
    {EVHTTP_REQ_GET, "", NEED_NOTHING, page_problems, "q level tag state order"},
    {EVHTTP_REQ_GET, "problems", NEED_NOTHING, page_problems, "q level tag state order"},
    {EVHTTP_REQ_GET, "problems/*", NEED_NOTHING, page_problem, "from"},
    {EVHTTP_REQ_POST, "problems/*", NEED_SUBMIT, page_submit, NULL},
    {EVHTTP_REQ_GET, "problems/*/board", NEED_NOTHING, page_board,
     "device around page meaning"},
    {EVHTTP_REQ_GET, "problems/*/preview", NEED_PREVIEW, page_preview, "key"},
    {EVHTTP_REQ_GET, "submissions", NEED_NOTHING, page_submissions,
     "user problem cursor"},
    {EVHTTP_REQ_GET, "submissions/*", NEED_NOTHING, page_submission, NULL},
    {EVHTTP_REQ_GET, "submissions/*/assembly", NEED_SOURCE, page_assembly, "form"},
    {EVHTTP_REQ_POST, "submissions/*/cancel", NEED_SUBMIT, page_cancel, NULL},
    {EVHTTP_REQ_GET, "compare", NEED_NOTHING, page_compare, "before after by"},
    {EVHTTP_REQ_GET, "standings", NEED_NOTHING, page_standing, "device around page"},
    {EVHTTP_REQ_GET, "feed", NEED_NOTHING, page_feed, "cursor"},
    {EVHTTP_REQ_GET, "users/*", NEED_NOTHING, page_user, NULL},
    {EVHTTP_REQ_GET, "groups", NEED_GROUP, page_groups, NULL},
    {EVHTTP_REQ_POST, "groups", NEED_GROUP, page_change_groups, NULL},
    {EVHTTP_REQ_GET, "groups/*", NEED_GROUP, page_group, "assignment"},
    {EVHTTP_REQ_POST, "groups/*", NEED_GROUP, page_change_group, NULL},
    {EVHTTP_REQ_GET, "groups/*/members", NEED_GROUP, page_roster, NULL},
    {EVHTTP_REQ_POST, "groups/*/members", NEED_GROUP, page_change_roster, NULL},
    {EVHTTP_REQ_GET, "groups/*/grades", NEED_GROUP, page_grades, "until"},
    {EVHTTP_REQ_GET, "staff", NEED_STAFF, page_staff, NULL},
    {EVHTTP_REQ_GET, "staff/calibration", NEED_STAFF, page_calibrations, NULL},
    {EVHTTP_REQ_GET, "staff/users", NEED_STAFF, page_users, "q cursor"},
    {EVHTTP_REQ_POST, "staff/users", NEED_ADMIN, page_change_users, NULL},
    {EVHTTP_REQ_GET, "staff/users/*", NEED_STAFF, page_user_account, NULL},
    {EVHTTP_REQ_POST, "staff/users/*", NEED_ADMIN, page_change_user_account, NULL},
    {EVHTTP_REQ_GET, "staff/announcements", NEED_ADMIN, page_announcements, NULL},
    {EVHTTP_REQ_POST, "staff/announcements", NEED_ADMIN, page_change_announcements, NULL},
    {EVHTTP_REQ_GET, "staff/equal", NEED_STAFF, page_equal, "problem cursor"},
    {EVHTTP_REQ_GET, "staff/grades", NEED_ADMIN, page_all_grades, "until"},
    {EVHTTP_REQ_GET, "staff/rejudge", NEED_ADMIN, page_rejudge,
     "problem device submissions which"},
    {EVHTTP_REQ_POST, "staff/rejudge", NEED_ADMIN, page_change_rejudge, NULL},
    {EVHTTP_REQ_GET, "account", NEED_LOGIN, page_own_account, NULL},
    {EVHTTP_REQ_POST, "account", NEED_LOGIN, page_change_own_account, NULL},
    {EVHTTP_REQ_GET, "sign-in", NEED_NOTHING, page_sign_in, NULL},
    {EVHTTP_REQ_POST, "sign-in", NEED_JOIN, page_begin_session, NULL},
    {EVHTTP_REQ_POST, "sign-out", NEED_NOTHING, page_sign_out, NULL},
    {EVHTTP_REQ_GET, "join", NEED_NOTHING, page_join, "invitation"},
    {EVHTTP_REQ_POST, "join", NEED_JOIN, page_make_account, NULL},
    {EVHTTP_REQ_GET, "about", NEED_NOTHING, page_about, NULL},
    {EVHTTP_REQ_GET, "assets/*", NEED_NOTHING, page_asset, NULL},
};

const size_t page_route_count = sizeof page_routes / sizeof *page_routes;

/* Is it the address of a page, called by any method? */
static bool
page_is_at(const struct address *a)
{
    for (size_t i = 0; i < page_route_count; i++) {
        const char *first = page_routes[i].pattern;
        const size_t len = strcspn(first, "/");

        if (a->count == 0 ? len == 0
                          : len == strlen(a->segment[0]) && len > 0 &&
                                memcmp(first, a->segment[0], len) == 0)
            return true;
    }
    return false;
}

bool
page_is_asked(struct http_call *c, const struct address *a)
{
    const char *accept =
        evhttp_find_header(evhttp_request_get_input_headers(c->req), "Accept");

    if (a->count > 0 && strcmp(a->segment[0], "api") == 0)
        return false;
    return page_is_at(a) || (accept != NULL && strstr(accept, "text/html") != NULL);
}
