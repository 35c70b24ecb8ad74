/* The API's answers about assignments of a group, and their extensions. */
#include "base/buf.h"
#include "base/file.h"
#include "daemon/api_groups.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/log.h"
#include "daemon/specs.h"
#include "record/assignments.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define MOMENT_MAX INT64_C(253402300799000) /* the end of the year 9999 */
#define ZONE_CHARACTERS                                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/"

static void
add_moment_or_null(cJSON *o, const char *key, int64_t ms)
{
    if (ms != 0)
        cJSON_AddNumberToObject(o, key, (double)ms);
    else
        cJSON_AddNullToObject(o, key);
}

/* --- out ----------------------------------------------------------------- */

/* A member is not told the problems before the assignment opens. */
static cJSON *
assignment_json(const struct assignment *a, bool teacher)
{
    const int64_t now = now_ms();
    const int64_t closes = a->until_ms > a->closes_ms ? a->until_ms : a->closes_ms;
    const bool waits = now < a->opens_ms;
    cJSON *o = cJSON_CreateObject(), *list;

    cJSON_AddStringToObject(o, "assignment", a->name);
    cJSON_AddStringToObject(o, "phase",
                            waits           ? "waiting"
                            : now <= closes ? "open"
                                            : "closed");
    cJSON_AddNumberToObject(o, "opens_ms", (double)a->opens_ms);
    cJSON_AddNumberToObject(o, "closes_ms", (double)a->closes_ms);
    cJSON_AddStringToObject(o, "zone", a->zone);
    add_moment_or_null(o, "until_ms", a->until_ms);
    cJSON_AddStringToObject(o, "before", a->hides ? "hidden" : "shown");
    list = cJSON_AddArrayToObject(o, "problems");
    for (size_t i = 0; i < a->count && (teacher || !waits); i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(a->problem[i]));
    return o;
}

/* Adds who has an extension. */
static int
add_extensions(struct http_call *c, const struct assignment *a, cJSON *o,
               struct report *r)
{
    struct extensions list;
    cJSON *rows;

    if (store_extensions(c->daemon->store, a->id, &list, r) != 0)
        return -1;
    rows = cJSON_AddArrayToObject(o, "extensions");
    for (size_t i = 0; i < list.count; i++) {
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "user", list.row[i].user);
        cJSON_AddNumberToObject(row, "until_ms", (double)list.row[i].until_ms);
        cJSON_AddItemToArray(rows, row);
    }
    extensions_free(&list);
    return 0;
}

void
api_assignments(struct http_call *c)
{
    struct assignments list;
    struct report r = {0};
    struct group g;
    bool teacher;
    cJSON *o, *rows;
    int rc = 0;

    if (!asked_group(c, IN_GROUP_MEMBER, &g))
        return;
    teacher = rights_in_group(&c->who, g.standing) == IN_GROUP_TEACHER;
    if (store_assignments(c->daemon->store, g.id, c->who.account, &list, &r) != 0) {
        reply_failure(c, &r);
        group_free(&g);
        return;
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "group", g.name);
    rows = cJSON_AddArrayToObject(o, "assignments");
    for (size_t i = 0; i < list.count && rc == 0; i++) {
        cJSON *row = assignment_json(&list.row[i], teacher);

        cJSON_AddItemToArray(rows, row);
        if (teacher)
            rc = add_extensions(c, &list.row[i], row, &r);
    }
    if (rc == 0) {
        reply_json(c, 200, o);
    } else {
        cJSON_Delete(o);
        reply_failure(c, &r);
    }
    assignments_free(&list);
    group_free(&g);
}

/* --- in ------------------------------------------------------------------ */

/* The problems of a new assignment, which point into a copy of the text. */
struct asked_problems {
    char *text;
    const char *slug[ASSIGNMENT_PROBLEMS_MAX];
    size_t count;
};

static bool
asked_twice(const struct asked_problems *p, const char *slug)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->slug[i], slug) == 0)
            return true;
    return false;
}

/* Reads "softmax,reduction". False after having answered. */
static bool
take_problems(struct http_call *c, const char *text, struct asked_problems *out)
{
    char *rest = out->text = xstrdup(text);
    struct report r = {0};
    bool exists;

    for (const char *word; (word = strsep(&rest, ",")) != NULL;) {
        if (hiding_get(c->daemon->hiding, &c->who, word, &exists, &r) == NULL &&
            !exists) {
            reply_problem(c, ERROR_NO_SUCH_PROBLEM, "/problems", "%s", r.text);
            return false;
        }
        if (asked_twice(out, word)) {
            reply_problem(c, ERROR_INVALID_MEMBER, "/problems",
                          "problems has %.80s twice", word);
            return false;
        }
        if (out->count == ASSIGNMENT_PROBLEMS_MAX) {
            reply_problem(c, ERROR_INVALID_MEMBER, "/problems",
                          "problems has more than %d problems", ASSIGNMENT_PROBLEMS_MAX);
            return false;
        }
        out->slug[out->count++] = word;
    }
    return true;
}

/* Checks all but the problems. False after having answered. */
static bool
check_assignment(struct http_call *c, const struct new_assignment *n)
{
    if (n->name == NULL || !slug_is_valid(n->name)) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/name",
                      "name is \"%.40s\": an assignment's name has only the letters a to "
                      "z, digits and hyphens, and at most %d of them",
                      n->name != NULL ? n->name : "", SLUG_BYTES_MAX);
    } else if (n->zone == NULL || n->zone[0] == '\0' ||
               strlen(n->zone) > ZONE_BYTES_MAX ||
               n->zone[strspn(n->zone, ZONE_CHARACTERS)] != '\0') {
        reply_problem(c, ERROR_INVALID_MEMBER, "/zone",
                      "zone is \"%.40s\": it must be a name of the tz database, such as "
                      "Europe/Berlin",
                      n->zone != NULL ? n->zone : "");
    } else if (n->opens_ms < 1 || n->opens_ms >= n->closes_ms ||
               n->closes_ms > MOMENT_MAX) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/closes_ms",
                      "an assignment opens before it closes, and both must be given, in "
                      "milliseconds since 1970");
    } else {
        return true;
    }
    return false;
}

/* Reads whether the problems are hidden before it opens. That takes them from everybody,
 * and so is for the staff alone. False after having answered. */
static bool
take_before(struct http_call *c, const char *before, struct new_assignment *n)
{
    n->hides = before != NULL && strcmp(before, "hidden") == 0;
    if (before != NULL && !n->hides && strcmp(before, "shown") != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/before",
                      "before is \"%.40s\": it must be \"shown\" or \"hidden\"", before);
    else if (n->hides && !rights_all_problems(&c->who))
        reply_problem(c, ERROR_FORBIDDEN, "/before",
                      "only the staff may hide problems, because that hides them from "
                      "everybody");
    else
        return true;
    return false;
}

/* Finds an assignment of the group by its name. NULL after having answered. */
static const struct assignment *
asked_assignment(struct http_call *c, const struct assignments *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->row[i].name, name) == 0)
            return &list->row[i];
    reply_problem(c, ERROR_NO_SUCH_ASSIGNMENT, NULL,
                  "the group has no assignment \"%.80s\"", name);
    return NULL;
}

/* Answers with the assignment of this name as it is now. */
static void
answer_assignment(struct http_call *c, const struct group *g, const char *name)
{
    struct assignments list;
    struct report r = {0};
    const struct assignment *a;

    if (store_assignments(c->daemon->store, g->id, c->who.account, &list, &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    a = asked_assignment(c, &list, name);
    if (a != NULL)
        reply_json(c, 201, assignment_json(a, true));
    assignments_free(&list);
}

static void
set_assignment(struct http_call *c, const struct group *g,
               const struct new_assignment *said, const char *problems)
{
    struct new_assignment n = *said;
    struct asked_problems asked = {0};
    struct report r = {0};
    bool full = false;

    if (check_assignment(c, &n) && take_problems(c, problems, &asked)) {
        n.problem = asked.slug;
        n.count = asked.count;
        if (store_set_assignment(c->daemon->store, g->id, &n, &full, &r) != 0) {
            reply_failure(c, &r);
        } else if (full) {
            reply_problem(c, ERROR_CONFLICT, NULL,
                          "%s has %d assignments, which is the most", g->name,
                          ASSIGNMENTS_MAX);
        } else {
            log_line("%s sets the assignment %s of %s", c->who.name, n.name, g->name);
            answer_assignment(c, g, n.name);
        }
    }
    free(asked.text);
}

void
api_set_assignment(struct http_call *c)
{
    struct new_assignment n = {0};
    const char *problems = NULL, *before = NULL;
    const struct request_field fields[] = {
        {"name", &n.name, NULL},         {"problems", &problems, NULL},
        {"opens_ms", NULL, &n.opens_ms}, {"closes_ms", NULL, &n.closes_ms},
        {"zone", &n.zone, NULL},         {"before", &before, NULL}};
    struct group g;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "an assignment",
                      &object))
        return;
    if (asked_group(c, IN_GROUP_TEACHER, &g)) {
        if (problems == NULL)
            reply_problem(c, ERROR_MISSING_MEMBER, "/problems",
                          "problems is missing: it is a list of slugs with commas");
        else if (take_before(c, before, &n))
            set_assignment(c, &g, &n, problems);
        group_free(&g);
    }
    cJSON_Delete(object);
}

void
api_drop_assignment(struct http_call *c)
{
    struct report r = {0};
    struct group g;
    bool found = false;

    if (!asked_group(c, IN_GROUP_TEACHER, &g))
        return;
    if (store_drop_assignment(c->daemon->store, g.id, c->arg[1], &found, &r) != 0)
        reply_failure(c, &r);
    else if (!found)
        reply_problem(c, ERROR_NO_SUCH_ASSIGNMENT, NULL,
                      "the group has no assignment \"%.80s\"", c->arg[1]);
    else
        reply_done(c);
    group_free(&g);
}

/* --- extensions ---------------------------------------------------------- */

/* The account of somebody in the group; 0 after having answered. */
static int64_t
extended_account(struct http_call *c, const struct group *g, const char *user)
{
    struct group_places places;
    struct report r = {0};
    int64_t account = 0;

    if (store_group_place(c->daemon->store, g->id, user, &places, &r) != 0) {
        reply_failure(c, &r);
        return 0;
    }
    if (places.count > 0)
        account = places.row[0].account;
    else
        reply_problem(c, ERROR_NO_SUCH_PLACE, "/user",
                      "nobody \"%.80s\" is in the group %s", user, g->name);
    group_places_free(&places);
    return account;
}

static void
extend(struct http_call *c, const struct group *g, const struct assignment *a,
       const char *user, int64_t until_ms)
{
    struct report r = {0};
    int64_t account;
    bool found;
    cJSON *o;

    if (until_ms != 0 && (until_ms <= a->closes_ms || until_ms > MOMENT_MAX)) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/until_ms",
                      "an extension ends after the assignment closes");
        return;
    }
    account = extended_account(c, g, user);
    if (account == 0)
        return;
    if (store_extend(c->daemon->store, g->id, a->name, account, until_ms, &found, &r) !=
        0) {
        reply_failure(c, &r);
        return;
    }
    log_line("%s sets the extension of %s for %s of %s", c->who.name, user, a->name,
             g->name);
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "assignment", a->name);
    cJSON_AddStringToObject(o, "user", user);
    add_moment_or_null(o, "until_ms", until_ms);
    reply_json(c, 200, o);
}

void
api_extend(struct http_call *c)
{
    const char *user = NULL;
    int64_t until_ms = 0;
    const struct request_field fields[] = {{"user", &user, NULL},
                                           {"until_ms", NULL, &until_ms}};
    struct assignments list;
    const struct assignment *a;
    struct report r = {0};
    struct group g;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "an extension", &object))
        return;
    if (asked_group(c, IN_GROUP_TEACHER, &g)) {
        if (user == NULL) {
            reply_problem(c, ERROR_MISSING_MEMBER, "/user",
                          "user is missing: say who has more time");
        } else if (store_assignments(c->daemon->store, g.id, 0, &list, &r) != 0) {
            reply_failure(c, &r);
        } else {
            a = asked_assignment(c, &list, c->arg[1]);
            if (a != NULL)
                extend(c, &g, a, user, until_ms);
            assignments_free(&list);
        }
        group_free(&g);
    }
    cJSON_Delete(object);
}
