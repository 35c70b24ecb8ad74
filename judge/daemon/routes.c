#include "daemon/routes.h"

#include "daemon/api.h"

/* tests/e2e/test_rights.py reads these rows, and calls each as everybody whom it can be.
 */
const struct route routes[] = {
    {EVHTTP_REQ_GET, "api/health", NEED_NOTHING, api_health},
    {EVHTTP_REQ_GET, "api/problems", NEED_NOTHING, api_problems},
    {EVHTTP_REQ_GET, "api/problems/*", NEED_NOTHING, api_problem},
    {EVHTTP_REQ_GET, "api/problems/*/board", NEED_NOTHING, api_board},
    {EVHTTP_REQ_POST, "api/submissions", NEED_SUBMIT, api_submit},
    {EVHTTP_REQ_GET, "api/submissions", NEED_NOTHING, api_submissions},
    {EVHTTP_REQ_GET, "api/submissions/*", NEED_NOTHING, api_submission},
    {EVHTTP_REQ_GET, "api/submissions/*/source", NEED_SOURCE, api_source},
    {EVHTTP_REQ_GET, "api/submissions/*/events", NEED_SOURCE, api_events},
    {EVHTTP_REQ_POST, "api/submissions/*/cancel", NEED_SUBMIT, api_cancel},
    {EVHTTP_REQ_GET, "api/account", NEED_NOTHING, api_whoami},
    {EVHTTP_REQ_DELETE, "api/account/token", NEED_ACCOUNT, api_sign_out},
    {EVHTTP_REQ_GET, "api/account/tokens", NEED_LOGIN, api_tokens},
    {EVHTTP_REQ_POST, "api/account/tokens", NEED_LOGIN, api_new_token},
    {EVHTTP_REQ_DELETE, "api/account/tokens/*", NEED_LOGIN, api_revoke_token},
    {EVHTTP_REQ_GET, "api/accounts", NEED_STAFF, api_accounts},
    {EVHTTP_REQ_POST, "api/accounts", NEED_JOIN, api_join},
    {EVHTTP_REQ_POST, "api/accounts/*", NEED_ADMIN, api_change_account},
    {EVHTTP_REQ_POST, "api/accounts/*/assign", NEED_ADMIN, api_assign},
    {EVHTTP_REQ_POST, "api/invitations", NEED_ADMIN, api_invite},
};

const size_t route_count = sizeof routes / sizeof *routes;
