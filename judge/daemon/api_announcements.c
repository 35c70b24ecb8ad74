/* The API's answers about announcements, which are told to everybody. */
#include "daemon/api.h"

#include "daemon/api_accounts.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/request.h"
#include "record/announcements.h"

#include <stdlib.h>

static cJSON *
announcement_json(const struct announcement *a)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "id", (double)a->id);
    cJSON_AddStringToObject(o, "text", a->text);
    cJSON_AddNumberToObject(o, "created_ms", (double)a->created_ms);
    return o;
}

void
api_announcements(struct http_call *c)
{
    struct announcements list;
    struct report r = {0};
    cJSON *o, *rows;

    if (store_announcements(c->daemon->store, &list, &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    o = cJSON_CreateObject();
    rows = cJSON_AddArrayToObject(o, "announcements");
    for (size_t i = 0; i < list.count; i++)
        cJSON_AddItemToArray(rows, announcement_json(&list.row[i]));
    announcements_free(&list);
    reply_json(c, 200, o);
}

static void
announce(struct http_call *c, const char *text)
{
    struct announcement made;
    struct report r = {0};
    bool full = false;

    if (text == NULL) {
        reply_problem(c, ERROR_MISSING_MEMBER, "/text",
                      "text is missing: say what everybody is told");
    } else if (announcement_check(text, &r) != 0) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/text", "%s", r.text);
    } else if (store_announce(c->daemon->store, text, &full, &made, &r) != 0) {
        reply_failure(c, &r);
    } else if (full) {
        reply_problem(c, ERROR_CONFLICT, NULL,
                      "there are %d announcements, which is the most: remove one first",
                      ANNOUNCEMENTS_MAX);
    } else {
        log_line("%s announces: %s", c->who.name, text);
        reply_json(c, 201, announcement_json(&made));
        free(made.text);
    }
}

void
api_announce(struct http_call *c)
{
    const char *text = NULL;
    const struct request_field fields[] = {{"text", &text, NULL}};
    cJSON *object;

    if (!account_body(c, fields, 1, "an announcement", &object))
        return;
    announce(c, text);
    cJSON_Delete(object);
}

void
api_drop_announcement(struct http_call *c)
{
    struct report r = {0};
    bool found = false;
    int64_t id = 0;

    if (!request_number(c->arg[0], 1, INT64_MAX, &id)) {
        reply_problem(c, ERROR_INVALID_ADDRESS, NULL,
                      "\"%.40s\" is not the number of an announcement", c->arg[0]);
    } else if (store_drop_announcement(c->daemon->store, id, &found, &r) != 0) {
        reply_failure(c, &r);
    } else if (!found) {
        reply_problem(c, ERROR_NO_SUCH_ANNOUNCEMENT, NULL,
                      "there is no announcement %lld", (long long)id);
    } else {
        log_line("%s removes announcement %lld", c->who.name, (long long)id);
        reply_done(c);
    }
}
