/* The API's answers about what one does with one's own account: it gets a name to show,
 * is exported, and deleted. */
#include "daemon/api_accounts.h"

#include "base/buf.h"
#include "base/json_text.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/purge.h"
#include "daemon/request.h"
#include "daemon/slices.h"
#include "daemon/worker_tokens.h"
#include "record/assignments.h"
#include "record/groups.h"
#include "record/sessions.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_PIECE_BYTES 32768

/* The account of who asks. False after having answered. */
static bool
own_account(struct http_call *c, struct account *out)
{
    struct report r = {0};
    bool found = false;

    if (store_account(c->daemon->store, c->who.name, &found, out, &r) != 0)
        reply_failure(c, &r);
    else if (!found)
        reply_error(c, 404, "this account was deleted");
    return found;
}

void
api_set_name(struct http_call *c)
{
    const char *name = NULL;
    const struct request_field fields[] = {{"display_name", &name, NULL}};
    struct error_about about;
    struct report r = {0};
    struct account a;
    size_t len = 0;
    const char *body = call_body(c, &len);
    cJSON *object = request_object(body, len, fields, 1, "an account", &about, &r);

    if (object == NULL) {
        reply_problem(c, about.code, about.field, "%s", r.text);
    } else if (name == NULL) {
        reply_problem(c, ERROR_MISSING_MEMBER, "/display_name",
                      "display_name is missing: say which name is shown beside yours");
    } else if (display_name_check(name, &r) != 0) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/display_name", "%s", r.text);
    } else if (store_set_display_name(c->daemon->store, c->who.account, name, &r) != 0) {
        reply_failure(c, &r);
    } else if (own_account(c, &a)) {
        reply_json(c, 200, account_json(&a));
        account_free(&a);
    }
    cJSON_Delete(object);
}

/* --- export -------------------------------------------------------------- */

/* An export while its answer is made: the account, then one submission after the other,
 * the newest first, each with its source piece by piece. */
struct leaving_export {
    struct daemon *daemon;
    char *name;
    char *head;     /* all up to the submissions; NULL once it is sent */
    int64_t before; /* the last submission */
    size_t source;  /* the next byte of its source */
    bool in_source, any;
};

static void
export_free(void *arg)
{
    struct leaving_export *e = arg;

    free(e->name);
    free(e->head);
    free(e);
}

/* Adds a submission as the API shows it to its owner, up to its source. */
static int
export_add_submission(struct leaving_export *e, int64_t id, struct buf *body,
                      struct report *r)
{
    struct submission sub;
    bool found = false;
    char *own_case = NULL;
    cJSON *o;

    if (store_own_case(e->daemon->store, id, &own_case, r) != 0 ||
        store_get(e->daemon->store, id, &found, &sub, r) != 0) {
        free(own_case);
        return -1;
    }
    if (!found) {
        free(own_case);
        return report_fail(r, "submission %lld is gone", (long long)id);
    }
    o = submission_json(e->daemon, &sub, true, r);
    if (o != NULL) {
        buf_puts(body, e->any ? ",{\"submission\":" : "{\"submission\":");
        buf_add_json(body, o);
        if (own_case != NULL)
            buf_printf(body, ",\"own_case\":%s", own_case);
        buf_printf(body, ",\"device_ms\":%lld,\"source\":\"", (long long)sub.device_ms);
    }
    free(own_case);
    submission_free(&sub);
    return o != NULL ? 0 : -1;
}

static int
export_next_submission(struct leaving_export *e, struct buf *body, bool *more,
                       struct report *r)
{
    struct submissions page;
    int rc = 0;

    if (store_list(e->daemon->store, e->name, NULL, true, e->before, 1, &page, r) != 0)
        return -1;
    *more = page.count > 0;
    if (*more) {
        e->before = page.row[0].id;
        rc = export_add_submission(e, e->before, body, r);
        e->any = e->in_source = true;
        e->source = 0;
    } else {
        buf_puts(body, "]}\n");
    }
    submissions_free(&page);
    return rc;
}

static int
export_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct leaving_export *e = arg;
    struct buf piece = {0};

    *more = true;
    if (e->head != NULL) {
        buf_puts(body, e->head);
        free(e->head);
        e->head = NULL;
        return 0;
    }
    if (!e->in_source)
        return export_next_submission(e, body, more, r);
    if (store_source_part(e->daemon->store, e->before, e->source, SOURCE_PIECE_BYTES,
                          &piece, r) != 0)
        return -1;
    json_add_escaped(body, buf_str(&piece), piece.len);
    e->source += piece.len;
    e->in_source = piece.len == SOURCE_PIECE_BYTES;
    if (!e->in_source)
        buf_puts(body, "\"}");
    buf_free(&piece);
    return 0;
}

/* Adds what there is of the account's sessions and password, without their secrets. */
static int
export_add_sessions(struct http_call *c, const struct account *a, cJSON *o,
                    struct report *r)
{
    struct sessions sessions;
    char *password = NULL;

    if (store_password(c->daemon->store, a->id, &password, r) != 0)
        return -1;
    cJSON_AddBoolToObject(o, "password", password != NULL);
    free(password);
    if (store_sessions(c->daemon->store, a->id, &sessions, r) != 0)
        return -1;
    cJSON_AddItemToObject(o, "sessions", sessions_json(&sessions, c->who.session));
    sessions_free(&sessions);
    return 0;
}

static void
export_add_text(cJSON *o, const char *key, const char *text)
{
    cJSON_AddItemToObject(o, key,
                          text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

/* Adds what a group has of the account: its place, and its extensions. */
static int
export_add_group(struct store *s, const struct account *a, const struct group *g,
                 cJSON *rows, struct report *r)
{
    struct assignments assignments;
    struct group_places places;
    cJSON *o, *list;

    if (store_group_place(s, g->id, a->name, &places, r) != 0)
        return -1;
    if (store_assignments(s, g->id, a->id, &assignments, r) != 0) {
        group_places_free(&places);
        return -1;
    }
    for (size_t i = 0; i < places.count; i++) {
        const struct group_place *p = &places.row[i];

        o = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, o);
        cJSON_AddStringToObject(o, "group", g->name);
        cJSON_AddBoolToObject(o, "teacher", p->teacher);
        cJSON_AddBoolToObject(o, "joined", p->joined);
        cJSON_AddNumberToObject(o, "since_ms", (double)p->since_ms);
        export_add_text(o, "full_name", p->full_name);
        export_add_text(o, "student_id", p->student_id);
        list = cJSON_AddArrayToObject(o, "extensions");
        for (size_t j = 0; j < assignments.count; j++) {
            if (assignments.row[j].until_ms == 0)
                continue;
            o = cJSON_CreateObject();
            cJSON_AddItemToArray(list, o);
            cJSON_AddStringToObject(o, "assignment", assignments.row[j].name);
            cJSON_AddNumberToObject(o, "until_ms", (double)assignments.row[j].until_ms);
        }
    }
    assignments_free(&assignments);
    group_places_free(&places);
    return 0;
}

static int
export_add_groups(struct store *s, const struct account *a, cJSON *o, struct report *r)
{
    cJSON *rows = cJSON_AddArrayToObject(o, "groups");
    struct groups groups;
    int rc = 0;

    if (store_groups(s, a->id, false, &groups, r) != 0)
        return -1;
    for (size_t i = 0; i < groups.count && rc == 0; i++)
        rc = export_add_group(s, a, &groups.row[i], rows, r);
    groups_free(&groups);
    return rc;
}

/* The account, its tokens, its sessions, the invitations to its name, and its groups. */
static cJSON *
export_head(struct http_call *c, const struct account *a, struct report *r)
{
    struct invitations invitations;
    struct tokens tokens;
    cJSON *o, *list;

    if (store_tokens(c->daemon->store, a->id, &tokens, r) != 0)
        return NULL;
    if (store_invitations(c->daemon->store, a->name, &invitations, r) != 0) {
        tokens_free(&tokens);
        return NULL;
    }
    o = cJSON_CreateObject();
    list = account_json(a);
    cJSON_AddNumberToObject(list, "created_ms", (double)a->created_ms);
    cJSON_AddItemToObject(o, "account", list);
    cJSON_AddItemToObject(o, "tokens", tokens_json(&tokens, c->who.token));
    list = cJSON_AddArrayToObject(o, "invitations");
    for (size_t i = 0; i < invitations.count; i++) {
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "role", role_name(invitations.row[i].role));
        cJSON_AddNumberToObject(row, "created_ms", (double)invitations.row[i].created_ms);
        cJSON_AddNumberToObject(row, "expires_ms", (double)invitations.row[i].expires_ms);
        cJSON_AddNumberToObject(row, "used_ms", (double)invitations.row[i].used_ms);
        cJSON_AddItemToArray(list, row);
    }
    free(invitations.row);
    tokens_free(&tokens);
    if (export_add_sessions(c, a, o, r) != 0 ||
        export_add_groups(c->daemon->store, a, o, r) != 0) {
        cJSON_Delete(o);
        return NULL;
    }
    return o;
}

void
api_export(struct http_call *c)
{
    static const struct slices_maker MAKER = {export_next, export_free};
    struct leaving_export *e;
    struct buf head = {0};
    struct account a;
    struct report r = {0};
    cJSON *o;

    if (!own_account(c, &a))
        return;
    o = export_head(c, &a, &r);
    if (o == NULL) {
        reply_failure(c, &r);
    } else {
        buf_add_json(&head, o);
        head.len--; /* the object goes on */
        buf_puts(&head, ",\"submissions\":[");
        e = xcalloc(1, sizeof *e);
        *e = (struct leaving_export){.daemon = c->daemon,
                                     .name = xstrdup(a.name),
                                     .head = buf_take(&head),
                                     .before = INT64_MAX};
        reply_slices(c, &MAKER, e);
    }
    account_free(&a);
}

/* --- deletion ------------------------------------------------------------ */

/* Has the request said the account's name once more, in its query? It guards against
 * accidents. False after having answered. */
static bool
name_is_said(struct http_call *c, const char *name)
{
    const char *said = call_query(c, "name");

    if (said != NULL && strcmp(said, name) == 0)
        return true;
    reply_problem(c, ERROR_INVALID_PARAMETER, "?name",
                  "name must be %s: nobody can bring a deleted account back", name);
    return false;
}

static void
delete_account(struct http_call *c, const struct account *a)
{
    struct daemon *d = c->daemon;
    struct report r = {0};
    char *name = NULL;
    cJSON *o;

    if (!name_is_said(c, a->name) || !account_may_go(c, a))
        return;
    if (store_delete_account(d->store, a, &name, &r) != 0) {
        reply_failure(c, &r);
    } else {
        log_line("an account was deleted, and is %s now", name);
        worker_tokens_look(d);
        purge_wake(d->purge);
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", name);
        reply_json(c, 200, o);
    }
    free(name);
}

void
api_delete_own(struct http_call *c)
{
    struct account a;

    if (!own_account(c, &a))
        return;
    delete_account(c, &a);
    account_free(&a);
}

void
api_delete_account(struct http_call *c)
{
    struct account a;

    if (!asked_account(c, c->arg[0], &a))
        return;
    delete_account(c, &a);
    account_free(&a);
}
