#include "daemon/routes.h"

#include "daemon/api.h"

/* tests/e2e/test_rights.py reads these rows, and calls each as everybody whom it can be.
 */
const struct route routes[] = {
    {EVHTTP_REQ_GET, "api/openapi.json", NEED_NOTHING, api_openapi, NULL},
    {EVHTTP_REQ_GET, "api/health", NEED_NOTHING, api_health, NULL},
    {EVHTTP_REQ_GET, "api/metrics", NEED_METRICS, api_metrics, NULL},
    {EVHTTP_REQ_GET, "api/problems", NEED_NOTHING, api_problems, "limit cursor"},
    {EVHTTP_REQ_GET, "api/problems/*", NEED_NOTHING, api_problem, NULL},
    {EVHTTP_REQ_GET, "api/problems/*/board", NEED_NOTHING, api_board,
     "device meaning limit cursor"},
    {EVHTTP_REQ_POST, "api/submissions", NEED_SUBMIT, api_submit, NULL},
    {EVHTTP_REQ_GET, "api/submissions", NEED_NOTHING, api_submissions,
     "user problem limit cursor"},
    {EVHTTP_REQ_GET, "api/submissions/*", NEED_NOTHING, api_submission, NULL},
    {EVHTTP_REQ_GET, "api/submissions/*/source", NEED_SOURCE, api_source, NULL},
    {EVHTTP_REQ_GET, "api/submissions/*/events", NEED_SOURCE, api_events, NULL},
    {EVHTTP_REQ_GET, "api/events", NEED_NOTHING, api_all_events, "user problem"},
    {EVHTTP_REQ_POST, "api/submissions/*/cancel", NEED_SUBMIT, api_cancel, NULL},
    {EVHTTP_REQ_GET, "api/account", NEED_NOTHING, api_whoami, NULL},
    {EVHTTP_REQ_POST, "api/account", NEED_LOGIN, api_set_name, NULL},
    {EVHTTP_REQ_DELETE, "api/account", NEED_LOGIN, api_delete_own, "name"},
    {EVHTTP_REQ_GET, "api/account/export", NEED_LOGIN, api_export, NULL},
    {EVHTTP_REQ_DELETE, "api/account/token", NEED_ACCOUNT, api_sign_out, NULL},
    {EVHTTP_REQ_GET, "api/account/tokens", NEED_LOGIN, api_tokens, NULL},
    {EVHTTP_REQ_POST, "api/account/tokens", NEED_LOGIN, api_new_token, NULL},
    {EVHTTP_REQ_DELETE, "api/account/tokens/*", NEED_LOGIN, api_revoke_token, NULL},
    {EVHTTP_REQ_POST, "api/account/password", NEED_LOGIN, api_set_password, NULL},
    {EVHTTP_REQ_DELETE, "api/account/password", NEED_LOGIN, api_remove_password, NULL},
    {EVHTTP_REQ_DELETE, "api/account/session", NEED_ACCOUNT, api_end_this_session, NULL},
    {EVHTTP_REQ_GET, "api/account/sessions", NEED_LOGIN, api_sessions, NULL},
    {EVHTTP_REQ_DELETE, "api/account/sessions/*", NEED_LOGIN, api_end_session, NULL},
    {EVHTTP_REQ_POST, "api/sessions", NEED_JOIN, api_sign_in, NULL},
    {EVHTTP_REQ_POST, "api/tokens", NEED_JOIN, api_sign_in_token, NULL},
    {EVHTTP_REQ_POST, "api/password", NEED_JOIN, api_use_reset, NULL},
    {EVHTTP_REQ_GET, "api/accounts", NEED_STAFF, api_accounts, NULL},
    {EVHTTP_REQ_POST, "api/accounts", NEED_JOIN, api_join, NULL},
    {EVHTTP_REQ_POST, "api/accounts/*", NEED_ADMIN, api_change_account, NULL},
    {EVHTTP_REQ_DELETE, "api/accounts/*", NEED_ADMIN, api_delete_account, "name"},
    {EVHTTP_REQ_POST, "api/accounts/*/assign", NEED_ADMIN, api_assign, NULL},
    {EVHTTP_REQ_POST, "api/accounts/*/reset", NEED_ADMIN, api_reset, NULL},
    {EVHTTP_REQ_GET, "api/accounts/*/sessions", NEED_ADMIN, api_account_sessions, NULL},
    {EVHTTP_REQ_DELETE, "api/accounts/*/sessions/*", NEED_ADMIN, api_end_account_session,
     NULL},
    {EVHTTP_REQ_POST, "api/rejudgement", NEED_ADMIN, api_rejudge, NULL},
    {EVHTTP_REQ_GET, "api/rejudgement", NEED_ADMIN, api_rejudgement, NULL},
    {EVHTTP_REQ_DELETE, "api/rejudgement", NEED_ADMIN, api_cancel_rejudgement, NULL},
    {EVHTTP_REQ_POST, "api/invitations", NEED_ADMIN, api_invite, NULL},
};

const size_t route_count = sizeof routes / sizeof *routes;
