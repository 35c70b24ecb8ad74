/* The API's answers about groups: making and removing them, their codes, and joining. */
#include "daemon/api_groups.h"

#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)
#define CODE_DAYS 14 /* where the request does not say */
#define CODE_DAYS_MAX 365
#define CODE_USES 100
#define CODE_USES_MAX 1000

bool
group_named(struct http_call *c, const char *name, enum standing_in_group least,
            struct group *out)
{
    struct report r = {0};
    struct group g;
    enum standing_in_group standing;
    bool found = false;

    if (store_group(c->daemon->store, name, c->who.account, &found, &g, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    standing = found ? rights_in_group(&c->who, g.standing) : IN_GROUP_NONE;
    if (standing == IN_GROUP_NONE || (standing < IN_GROUP_MEMBER && standing < least))
        reply_problem(c, ERROR_NO_SUCH_GROUP, NULL, "you are in no group \"%.80s\"",
                      name);
    else if (standing < least)
        reply_problem(c, ERROR_FORBIDDEN, NULL,
                      "only a teacher of %s may do this, with a token of all scopes",
                      g.name);
    if (standing != IN_GROUP_NONE && standing >= least) {
        *out = g;
        return true;
    }
    if (found)
        group_free(&g);
    return false;
}

bool
asked_group(struct http_call *c, enum standing_in_group least, struct group *out)
{
    return group_named(c, c->arg[0], least, out);
}

bool
group_of_query(struct http_call *c, struct group *out)
{
    const char *name = call_query(c, "group");
    struct report r = {0};
    int status;

    *out = (struct group){0};
    if (name == NULL)
        return true;
    status = rights_check(&c->daemon->policy, &c->who, NEED_GROUP, &r);
    if (status != 0) {
        reply_refused(c, status, &r);
        return false;
    }
    return group_named(c, name, IN_GROUP_MEMBER, out);
}

bool
group_days(struct http_call *c, int64_t days, int64_t most, int64_t *expires_ms)
{
    if (days >= 1 && days <= most) {
        *expires_ms = now_ms() + days * DAY_MS;
        return true;
    }
    reply_problem(c, ERROR_INVALID_MEMBER, "/days",
                  "days is %lld: it must be from 1 to %lld", (long long)days,
                  (long long)most);
    return false;
}

static const char *
standing_name(enum standing_in_group standing)
{
    static const char *const NAMES[] = {"none", "asked", "member", "teacher"};

    return NAMES[standing];
}

static cJSON *
group_json(const struct group *g)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "group", g->name);
    cJSON_AddStringToObject(o, "standing", standing_name(g->standing));
    cJSON_AddNumberToObject(o, "members", (double)g->members);
    cJSON_AddNumberToObject(o, "created_ms", (double)g->created_ms);
    return o;
}

void
api_groups(struct http_call *c)
{
    struct groups list;
    struct report r = {0};
    cJSON *o, *rows;

    if (store_groups(c->daemon->store, c->who.account, rights_all_groups(&c->who), &list,
                     &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    o = cJSON_CreateObject();
    rows = cJSON_AddArrayToObject(o, "groups");
    for (size_t i = 0; i < list.count; i++)
        cJSON_AddItemToArray(rows, group_json(&list.row[i]));
    groups_free(&list);
    reply_json(c, 200, o);
}

void
api_group(struct http_call *c)
{
    struct group g;

    if (!asked_group(c, IN_GROUP_MEMBER, &g))
        return;
    reply_json(c, 200, group_json(&g));
    group_free(&g);
}

/* --- making and removing ------------------------------------------------- */

/* The account that is to teach a new group; 0 after having answered. */
static int64_t
new_teacher(struct http_call *c, const char *name)
{
    struct account a;
    int64_t id = 0;

    if (name == NULL && c->who.account == 0) {
        reply_problem(c, ERROR_MISSING_MEMBER, "/teacher",
                      "teacher is missing: say which account teaches the group, since "
                      "you have none");
        return 0;
    }
    if (name == NULL || strcmp(name, c->who.name) == 0)
        return c->who.account;
    if (!rights_all_groups(&c->who)) {
        reply_problem(c, ERROR_FORBIDDEN, "/teacher",
                      "only an admin may give a group to another teacher");
        return 0;
    }
    if (!asked_account(c, name, &a))
        return 0;
    if (a.state == ACCOUNT_ACTIVE)
        id = a.id;
    else
        reply_problem(c, ERROR_INVALID_MEMBER, "/teacher",
                      "%s is no active account, and cannot teach", a.name);
    account_free(&a);
    return id;
}

static void
make_group(struct http_call *c, const char *name, int64_t teacher)
{
    struct store *s = c->daemon->store;
    struct report r = {0};
    struct group g;
    bool taken = false, found = false;

    if (store_add_group(s, name, teacher, &taken, &r) != 0) {
        reply_failure(c, &r);
    } else if (taken) {
        reply_problem(c, ERROR_CONFLICT, "/name",
                      "a group has the name \"%s\" already: choose another", name);
    } else if (store_group(s, name, c->who.account, &found, &g, &r) != 0) {
        reply_failure(c, &r);
    } else {
        log_line("%s makes the group %s", c->who.name, name);
        reply_json(c, 201, group_json(&g));
        group_free(&g);
    }
}

void
api_new_group(struct http_call *c)
{
    const char *name = NULL, *teacher = NULL;
    const struct request_field fields[] = {{"name", &name, NULL},
                                           {"teacher", &teacher, NULL}};
    cJSON *object;
    int64_t account;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a group", &object))
        return;
    if (name == NULL) {
        reply_problem(c, ERROR_MISSING_MEMBER, "/name",
                      "name is missing: say what the group is called");
    } else if (!slug_is_valid(name)) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/name",
                      "name is \"%.40s\": a group's name has only the letters a to z, "
                      "digits and hyphens, and at most %d of them",
                      name, SLUG_BYTES_MAX);
    } else {
        account = new_teacher(c, teacher);
        if (account != 0)
            make_group(c, name, account);
    }
    cJSON_Delete(object);
}

void
api_delete_group(struct http_call *c)
{
    struct report r = {0};
    struct group g;
    const char *said = call_query(c, "name");

    if (!asked_group(c, IN_GROUP_TEACHER, &g))
        return;
    if (said == NULL || strcmp(said, g.name) != 0) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?name",
                      "name must be %s: nobody can bring a deleted group back", g.name);
    } else if (store_delete_group(c->daemon->store, g.id, &r) != 0) {
        reply_failure(c, &r);
    } else {
        log_line("%s deletes the group %s", c->who.name, g.name);
        reply_done(c);
    }
    group_free(&g);
}

/* --- codes --------------------------------------------------------------- */

void
api_group_codes(struct http_call *c)
{
    struct group_codes codes;
    struct report r = {0};
    struct group g;
    cJSON *o, *rows;

    if (!asked_group(c, IN_GROUP_TEACHER, &g))
        return;
    if (store_group_codes(c->daemon->store, g.id, &codes, &r) != 0) {
        reply_failure(c, &r);
    } else {
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "group", g.name);
        rows = cJSON_AddArrayToObject(o, "codes");
        for (size_t i = 0; i < codes.count; i++) {
            cJSON *row = cJSON_CreateObject();

            cJSON_AddNumberToObject(row, "created_ms", (double)codes.row[i].created_ms);
            cJSON_AddNumberToObject(row, "expires_ms", (double)codes.row[i].expires_ms);
            cJSON_AddNumberToObject(row, "uses_left", (double)codes.row[i].uses_left);
            cJSON_AddItemToArray(rows, row);
        }
        free(codes.row);
        reply_json(c, 200, o);
    }
    group_free(&g);
}

static void
make_code(struct http_call *c, const struct group *g, int64_t expires_ms, int64_t uses)
{
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    struct report r = {0};
    bool full = false;
    cJSON *o;

    secret_new(GROUP_CODE_PREFIX, secret);
    secret_hash(secret, hash);
    if (store_add_group_code(c->daemon->store, g->id, hash, expires_ms, uses, &full,
                             &r) != 0) {
        reply_failure(c, &r);
    } else if (full) {
        reply_problem(c, ERROR_CONFLICT, NULL,
                      "%s has %d codes that are good, which is the most: withdraw them "
                      "first",
                      g->name, GROUP_CODES_MAX);
    } else {
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "group", g->name);
        cJSON_AddStringToObject(o, "code", secret);
        cJSON_AddNumberToObject(o, "expires_ms", (double)expires_ms);
        cJSON_AddNumberToObject(o, "uses_left", (double)uses);
        reply_json(c, 201, o);
    }
    explicit_bzero(secret, sizeof secret);
}

void
api_new_group_code(struct http_call *c)
{
    int64_t days = CODE_DAYS, uses = CODE_USES, expires_ms;
    const struct request_field fields[] = {{"days", NULL, &days}, {"uses", NULL, &uses}};
    struct group g;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a code", &object))
        return;
    if (asked_group(c, IN_GROUP_TEACHER, &g)) {
        if (uses < 1 || uses > CODE_USES_MAX)
            reply_problem(c, ERROR_INVALID_MEMBER, "/uses",
                          "uses is %lld: it must be from 1 to %d", (long long)uses,
                          CODE_USES_MAX);
        else if (group_days(c, days, CODE_DAYS_MAX, &expires_ms))
            make_code(c, &g, expires_ms, uses);
        group_free(&g);
    }
    cJSON_Delete(object);
}

void
api_withdraw_group_codes(struct http_call *c)
{
    struct report r = {0};
    struct group g;

    if (!asked_group(c, IN_GROUP_TEACHER, &g))
        return;
    if (store_withdraw_group_codes(c->daemon->store, g.id, &r) != 0)
        reply_failure(c, &r);
    else
        reply_done(c);
    group_free(&g);
}

/* --- joining ------------------------------------------------------------- */

static void
join_group(struct http_call *c, const char *code)
{
    enum join_group_result result;
    char hash[SECRET_HASH_BYTES], *group = NULL;
    struct report r = {0};
    cJSON *o;

    secret_hash(code, hash);
    if (store_join_group(c->daemon->store, hash, c->who.account, &result, &group, &r) !=
        0) {
        reply_failure(c, &r);
    } else if (result == JOIN_GROUP_UNKNOWN) {
        reply_problem(c, ERROR_GROUP_CODE, "/code",
                      "this code is not known, or is used up, or is too old");
    } else if (result == JOIN_GROUP_FULL) {
        reply_problem(c, ERROR_CONFLICT, NULL, "this group has no place left");
    } else {
        log_line("%s joins the group %s", c->who.name, group);
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "group", group);
        reply_json(c, 200, o);
        free(group);
    }
}

void
api_join_group(struct http_call *c)
{
    const char *code = NULL;
    const struct request_field fields[] = {{"code", &code, NULL}};
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a code", &object))
        return;
    if (code == NULL)
        reply_problem(c, ERROR_MISSING_MEMBER, "/code",
                      "code is missing: a teacher of the group has it");
    else if (!secret_is_valid(GROUP_CODE_PREFIX, code))
        reply_problem(c, ERROR_GROUP_CODE, "/code",
                      "that is no code of a group, which begins with %s",
                      GROUP_CODE_PREFIX);
    else
        join_group(c, code);
    account_body_delete(object, code);
}
