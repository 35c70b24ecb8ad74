#include "daemon/grades_equal.h"

#include "daemon/daemon.h"
#include "daemon/known_work.h"
#include "record/equal.h"

#include <string.h>

/* Did the person send some of this work in time? */
static bool
sent_in_time(const struct equal_work *w, int64_t account, int64_t until_ms)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->person[i].account == account)
            return w->person[i].created_ms <= until_ms;
    return false;
}

static bool
names_user(const cJSON *list, const char *user)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "user");

        if (strcmp(name->valuestring, user) == 0)
            return true;
    }
    return false;
}

/* Adds the others of one work whom the list does not name yet. */
static void
add_others(const struct grades_equal *e, const struct equal_work *w, int64_t account,
           cJSON *list)
{
    if (!sent_in_time(w, account, e->until_ms))
        return;
    for (size_t i = 0; i < w->count; i++) {
        const struct equal_person *p = &w->person[i];
        cJSON *o;

        if (p->account == account || p->created_ms > e->until_ms ||
            !e->is_graded(e->ctx, p->account) || names_user(list, p->user))
            continue;
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "user", p->user);
        cJSON_AddStringToObject(o, "kind", equal_kind_name(w->kind));
        cJSON_AddItemToArray(list, o);
    }
}

/* Equal work of somebody, without the starter's. Files are read only where there is
 * any. */
static int
find_works(struct daemon *d, const char *user, const char *problem,
           struct equal_works *out, struct report *r)
{
    struct equal_works all;
    struct known_work known;
    int rc;

    if (store_equal_of_user(d->store, user, problem, NULL, &all, r) != 0)
        return -1;
    if (all.count == 0) {
        *out = all;
        return 0;
    }
    equal_works_free(&all);
    known_work_read(d, problem, &known);
    rc = store_equal_of_user(d->store, user, problem,
                             known.starter.size > 0 ? known.starter.hex : NULL, out, r);
    known_work_free(&known);
    return rc;
}

cJSON *
grades_equal_json(const struct grades_equal *e, int64_t account, const char *user,
                  const char *problem, struct report *r)
{
    struct equal_works works;
    cJSON *list;

    if (find_works(e->daemon, user, problem, &works, r) != 0)
        return NULL;
    list = cJSON_CreateArray();
    for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++)
        for (size_t i = 0; i < works.count; i++)
            if (works.row[i].kind == (enum equal_kind)kind)
                add_others(e, &works.row[i], account, list);
    equal_works_free(&works);
    return list;
}
