/* The API's answers about the people of a group: its roster, in and out. */
#include "daemon/api_groups.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/roster.h"
#include "daemon/slices.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define INVITATION_DAYS 14 /* where the request does not say */
#define INVITATION_DAYS_MAX 365
#define TOLD_AT_ONCE 64 /* places of a roster, in a slice */

/* --- out ----------------------------------------------------------------- */

static cJSON *
place_json(const struct group_place *p)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "user", p->user);
    cJSON_AddStringToObject(o, "full_name", p->full_name);
    cJSON_AddStringToObject(o, "student_id", p->student_id);
    cJSON_AddBoolToObject(o, "teacher", p->teacher);
    cJSON_AddStringToObject(o, "place",
                            p->joined     ? "joined"
                            : p->reserved ? "invited"
                                          : "asked");
    cJSON_AddNumberToObject(o, "since_ms", (double)p->since_ms);
    return o;
}

/* A roster while its answer is made, slice by slice: a group has up to 2,000 places. */
struct told_roster {
    struct group_places places;
    size_t next; /* the row that is told next */
    char *group; /* its name */
};

static void
told_roster_free(void *arg)
{
    struct told_roster *t = arg;

    group_places_free(&t->places);
    free(t->group);
    free(t);
}

static int
told_roster_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct told_roster *t = arg;
    const size_t left = t->places.count - t->next;
    const size_t end = t->next + (left < TOLD_AT_ONCE ? left : TOLD_AT_ONCE);

    (void)r;
    if (t->next == 0) {
        buf_puts(body, "{\"group\":");
        buf_add_json(body, cJSON_CreateString(t->group));
        buf_puts(body, ",\"members\":[");
    }
    for (; t->next < end; t->next++) {
        buf_puts(body, t->next > 0 ? "," : "");
        buf_add_json(body, place_json(&t->places.row[t->next]));
    }
    *more = t->next < t->places.count;
    if (!*more)
        buf_puts(body, "]}\n");
    return 0;
}

void
api_roster(struct http_call *c)
{
    static const struct slices_maker MAKER = {told_roster_next, told_roster_free};
    struct group_places places;
    struct report r = {0};
    struct told_roster *t;
    struct group g;

    if (!asked_group(c, IN_GROUP_TEACHER, &g))
        return;
    if (store_group_places(c->daemon->store, g.id, &places, &r) != 0) {
        reply_failure(c, &r);
    } else {
        t = xcalloc(1, sizeof *t);
        *t = (struct told_roster){.places = places, .group = xstrdup(g.name)};
        reply_slices(c, &MAKER, t);
    }
    group_free(&g);
}

/* --- in ------------------------------------------------------------------ */

static void
enrol_refuse(struct http_call *c, const struct roster_row *row, enum enrolment why)
{
    const char *sentence =
        why == ENROL_OLD_NAME
            ? "somebody has submitted under this name without an account: an admin "
              "invites to it"
        : why == ENROL_RESERVED ? "the name is taken: choose another for this person"
        : why == ENROL_CLOSED   ? "the account of this name is closed"
                                : "the group has no place left";

    reply_problem(c, ERROR_CONFLICT, "/csv", "line %d, user %s: %s; nobody was enrolled",
                  row->line, row->user, sentence);
}

static void
enrol_answer(struct http_call *c, const struct group *g, const struct enrolled *rows,
             size_t count, int64_t expires_ms)
{
    static const char *const RESULTS[] = {"invited", "asked", "kept"};
    cJSON *o = cJSON_CreateObject(), *list;

    log_line("%s enrols %zu in the group %s", c->who.name, count, g->name);
    cJSON_AddStringToObject(o, "group", g->name);
    cJSON_AddNumberToObject(o, "expires_ms", (double)expires_ms);
    list = cJSON_AddArrayToObject(o, "enrolled");
    for (size_t i = 0; i < count; i++) {
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "user", rows[i].user);
        cJSON_AddStringToObject(row, "full_name",
                                rows[i].full_name != NULL ? rows[i].full_name : "");
        cJSON_AddStringToObject(row, "result", RESULTS[rows[i].result]);
        if (rows[i].result == ENROL_INVITED)
            cJSON_AddStringToObject(row, "invitation", rows[i].invitation);
        cJSON_AddItemToArray(list, row);
    }
    reply_json(c, 201, o);
}

static void
enrol_roster(struct http_call *c, const struct group *g, const struct roster *roster,
             int64_t expires_ms)
{
    struct enrolled *rows = xcalloc(roster->count, sizeof *rows);
    struct report r = {0};
    size_t refused = 0;

    for (size_t i = 0; i < roster->count; i++)
        rows[i] = (struct enrolled){.user = roster->row[i].user,
                                    .full_name = roster->row[i].full_name,
                                    .student_id = roster->row[i].student_id};
    if (store_enrol(c->daemon->store, g->id, rows, roster->count, expires_ms, &refused,
                    &r) != 0)
        reply_failure(c, &r);
    else if (refused < roster->count)
        enrol_refuse(c, &roster->row[refused], rows[refused].result);
    else
        enrol_answer(c, g, rows, roster->count, expires_ms);
    explicit_bzero(rows, roster->count * sizeof *rows);
    free(rows);
}

/* Where there are no accounts, an invitation leads nowhere. */
static bool
judge_has_accounts(struct http_call *c)
{
    if (c->daemon->policy.registration != REGISTRATION_OFF)
        return true;
    reply_problem(c, ERROR_NO_ACCOUNTS, NULL,
                  "this judge has no accounts: `serve --registration` says who may have "
                  "one");
    return false;
}

void
api_enrol(struct http_call *c)
{
    const char *csv = NULL;
    int64_t days = INVITATION_DAYS, expires_ms;
    const struct request_field fields[] = {{"csv", &csv, NULL}, {"days", NULL, &days}};
    struct roster roster;
    struct report r = {0};
    struct group g;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a roster", &object))
        return;
    if (asked_group(c, IN_GROUP_TEACHER, &g)) {
        if (csv == NULL) {
            reply_problem(c, ERROR_MISSING_MEMBER, "/csv",
                          "csv is missing: it is the text of the roster");
        } else if (judge_has_accounts(c) &&
                   group_days(c, days, INVITATION_DAYS_MAX, &expires_ms)) {
            if (roster_parse(csv, &roster, &r) != 0) {
                reply_problem(c, ERROR_INVALID_MEMBER, "/csv", "%s", r.text);
            } else {
                enrol_roster(c, &g, &roster, expires_ms);
                roster_free(&roster);
            }
        }
        group_free(&g);
    }
    cJSON_Delete(object);
}

/* --- one place ----------------------------------------------------------- */

/* Finds the place that a call names by its second segment. The list that the caller frees
 * has this row. False after having answered. */
static bool
asked_place(struct http_call *c, const struct group *g, struct group_places *out)
{
    struct report r = {0};

    if (store_group_place(c->daemon->store, g->id, c->arg[1], out, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (out->count == 0)
        reply_problem(c, ERROR_NO_SUCH_PLACE, NULL, "nobody \"%.80s\" is in the group %s",
                      c->arg[1], g->name);
    return out->count > 0;
}

/* May this place stop being a teacher's? False after having answered. */
static bool
place_may_go(struct http_call *c, const struct group *g, const struct group_place *p)
{
    struct report r = {0};
    int64_t teachers = 0;

    if (!p->teacher)
        return true;
    if (store_group_teachers(c->daemon->store, g->id, &teachers, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (teachers <= 1)
        reply_problem(c, ERROR_CONFLICT, NULL,
                      "%s is the only teacher of %s: make another one first, or delete "
                      "the group",
                      p->user, g->name);
    return teachers > 1;
}

static void
change_place(struct http_call *c, const struct group *g, struct group_place *p,
             bool teacher)
{
    struct report r = {0};

    if (!p->joined) {
        reply_problem(c, ERROR_CONFLICT, NULL, "%s has not joined %s yet", p->user,
                      g->name);
    } else if (teacher || place_may_go(c, g, p)) {
        if (store_set_teacher(c->daemon->store, g->id, p->account, teacher, &r) != 0) {
            reply_failure(c, &r);
            return;
        }
        log_line("%s makes %s a %s of %s", c->who.name, p->user,
                 teacher ? "teacher" : "member", g->name);
        p->teacher = teacher;
        reply_json(c, 200, place_json(p));
    }
}

void
api_change_place(struct http_call *c)
{
    const char *standing = NULL;
    const struct request_field fields[] = {{"standing", &standing, NULL}};
    struct group_places places;
    struct group g;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a place", &object))
        return;
    if (asked_group(c, IN_GROUP_TEACHER, &g)) {
        if (standing == NULL)
            reply_problem(c, ERROR_MISSING_MEMBER, "/standing",
                          "standing is missing: it is member or teacher");
        else if (strcmp(standing, "member") != 0 && strcmp(standing, "teacher") != 0)
            reply_problem(c, ERROR_INVALID_MEMBER, "/standing",
                          "standing is \"%.40s\": it must be member or teacher",
                          standing);
        else if (asked_place(c, &g, &places)) {
            change_place(c, &g, &places.row[0], strcmp(standing, "teacher") == 0);
            group_places_free(&places);
        }
        group_free(&g);
    }
    cJSON_Delete(object);
}

void
api_leave_group(struct http_call *c)
{
    /* Everybody may leave, also before they have joined; somebody else is sent away by a
     * teacher. */
    const bool self = c->who.account != 0 && strcmp(c->arg[1], c->who.name) == 0;
    struct group_places places;
    struct report r = {0};
    struct group g;

    if (!asked_group(c, self ? IN_GROUP_ASKED : IN_GROUP_TEACHER, &g))
        return;
    if (asked_place(c, &g, &places)) {
        if (place_may_go(c, &g, &places.row[0])) {
            if (store_leave_group(c->daemon->store, g.id, &places.row[0], &r) != 0) {
                reply_failure(c, &r);
            } else {
                log_line("%s takes %s out of the group %s", c->who.name,
                         places.row[0].user, g.name);
                reply_done(c);
            }
        }
        group_places_free(&places);
    }
    group_free(&g);
}

void
api_invite_again(struct http_call *c)
{
    int64_t days = INVITATION_DAYS, expires_ms;
    const struct request_field fields[] = {{"days", NULL, &days}};
    char invitation[SECRET_BYTES];
    struct group_places places;
    struct report r = {0};
    struct group g;
    cJSON *object, *o;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "an invitation",
                      &object))
        return;
    cJSON_Delete(object);
    if (!asked_group(c, IN_GROUP_TEACHER, &g))
        return;
    if (group_days(c, days, INVITATION_DAYS_MAX, &expires_ms) &&
        asked_place(c, &g, &places)) {
        const struct group_place *p = &places.row[0];

        if (!p->reserved) {
            reply_problem(c, ERROR_CONFLICT, NULL,
                          "%s has an account: a code of the group is for who has one, "
                          "and an admin helps who has lost the way into theirs",
                          p->user);
        } else if (store_invite_again(c->daemon->store, g.id, p, expires_ms, invitation,
                                      &r) != 0) {
            reply_failure(c, &r);
        } else {
            o = cJSON_CreateObject();
            cJSON_AddStringToObject(o, "user", p->user);
            cJSON_AddStringToObject(o, "invitation", invitation);
            cJSON_AddNumberToObject(o, "expires_ms", (double)expires_ms);
            reply_json(c, 201, o);
            explicit_bzero(invitation, sizeof invitation);
        }
        group_places_free(&places);
    }
    group_free(&g);
}
