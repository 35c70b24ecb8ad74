#include "daemon/due_json.h"

#include "base/file.h"
#include "daemon/daemon.h"
#include "record/assignments.h"

/* May who asks know that this user has such an assignment? Before it opens its members
 * are not told its problems. */
static bool
due_is_known(const struct identity *who, const char *user, const struct due *due)
{
    return rights_in_group(who, due->standing) == IN_GROUP_TEACHER ||
           (rights_is_user(who, user) && due->opens_ms <= now_ms());
}

static cJSON *
due_json(const struct due *due, int64_t at_ms)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "group", due->group);
    cJSON_AddStringToObject(o, "assignment", due->assignment);
    cJSON_AddNumberToObject(o, "closes_ms", (double)due->closes_ms);
    cJSON_AddStringToObject(o, "zone", due->zone);
    cJSON_AddBoolToObject(o, "late", at_ms > due->closes_ms);
    return o;
}

int
due_json_add(cJSON *o, struct daemon *d, const struct identity *who, const char *user,
             const char *problem, int64_t at_ms, struct report *r)
{
    struct dues list;
    cJSON *rows = NULL;

    if (store_dues(d->store, user, problem, who->account, &list, r) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        if (!due_is_known(who, user, &list.row[i]))
            continue;
        if (rows == NULL)
            rows = cJSON_AddArrayToObject(o, "assignments");
        cJSON_AddItemToArray(rows, due_json(&list.row[i], at_ms));
    }
    dues_free(&list);
    return 0;
}
