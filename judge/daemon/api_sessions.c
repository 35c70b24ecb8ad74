/* The API's answers about sessions that are there: listed, and ended. */
#include "daemon/api_accounts.h"

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/request.h"
#include "daemon/session.h"
#include "record/sessions.h"
#include "record/store.h"

#include <string.h>

cJSON *
sessions_json(const struct sessions *list, int64_t this)
{
    cJSON *rows = cJSON_CreateArray();

    for (size_t i = 0; i < list->count; i++) {
        const struct session *s = &list->row[i];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddNumberToObject(row, "id", (double)s->id);
        cJSON_AddStringToObject(row, "label", s->label);
        cJSON_AddNumberToObject(row, "created_ms", (double)s->created_ms);
        cJSON_AddNumberToObject(row, "used_ms", (double)s->used_ms);
        cJSON_AddNumberToObject(row, "expires_ms", (double)s->expires_ms);
        cJSON_AddBoolToObject(row, "this", s->id == this);
        cJSON_AddItemToArray(rows, row);
    }
    return rows;
}

static void
reply_sessions(struct http_call *c, int64_t account)
{
    struct sessions list;
    struct report r = {0};
    cJSON *o;

    if (store_sessions(c->daemon->store, account, &list, &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "sessions", sessions_json(&list, c->who.session));
    sessions_free(&list);
    reply_json(c, 200, o);
}

/* Ends the session that the path names, or all. */
static void
end_session(struct http_call *c, int64_t account, const char *text)
{
    const bool all = strcmp(text, "all") == 0;
    struct report r = {0};
    bool found = false;
    int64_t id = 0;

    if (!all && !request_number(text, 1, INT64_MAX, &id))
        reply_problem(c, ERROR_INVALID_ADDRESS, NULL,
                      "\"%.40s\" is not the number of a session", text);
    else if (store_end_session(c->daemon->store, account, id, &found, &r) != 0)
        reply_failure(c, &r);
    else if (!found && !all)
        reply_problem(c, ERROR_NO_SUCH_SESSION, NULL, "there is no session %lld",
                      (long long)id);
    else
        reply_done(c);
}

void
api_sessions(struct http_call *c)
{
    reply_sessions(c, c->who.account);
}

void
api_end_session(struct http_call *c)
{
    end_session(c, c->who.account, c->arg[0]);
}

void
api_account_sessions(struct http_call *c)
{
    struct account a;

    if (!asked_account(c, c->arg[0], &a))
        return;
    reply_sessions(c, a.id);
    account_free(&a);
}

void
api_end_account_session(struct http_call *c)
{
    struct account a;

    if (!asked_account(c, c->arg[0], &a))
        return;
    log_line("%s ends sessions of %s", c->who.name, a.name);
    end_session(c, a.id, c->arg[1]);
    account_free(&a);
}

void
api_end_this_session(struct http_call *c)
{
    struct report r = {0};
    bool found = false;

    if (c->who.session == 0) {
        reply_problem(c, ERROR_NO_SESSION, NULL, "no session came with this request");
    } else if (store_end_session(c->daemon->store, c->who.account, c->who.session, &found,
                                 &r) != 0) {
        reply_failure(c, &r);
    } else {
        session_remove_cookie(c);
        reply_done(c);
    }
}
