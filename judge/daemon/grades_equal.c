#include "daemon/grades_equal.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/known_work.h"
#include "record/equal.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_AT_ONCE 256
#define KEY_DIGITS 16
#define NOBODY UINT32_MAX
#define TABLES 256 /* powers of two */
#define SLOTS_MIN 16

/* Somebody who is graded and has sent a work in time. */
struct told_person {
    int64_t account;
    const char *user;
};

struct told_work {
    size_t count;
    struct told_person person[];
};

/* A row of equal_work in one of the hash tables. Its key is made of problem, kind and the
 * last digits of the digest: where two works share it, their people show whose each is.
 */
struct work_slot {
    uint64_t key;
    int64_t id; /* 0: the slot is empty */
    uint32_t problem;
    uint32_t noted; /* the person of its last note */
    enum equal_kind kind;
    struct told_work *told; /* NULL: not read yet */
};

/* There are many small ones, because a large one would hold up the event loop where it
 * grows. The lowest digits of a key say which. */
struct work_table {
    struct work_slot *slot;
    size_t slots, used; /* slots is a power of two, or 0 */
};

struct work_problem {
    char *slug;
    bool looked;
    char starter[65]; /* the digest of its starter; "": it has none */
};

/* A person has the work of this slot. */
struct work_note {
    struct work_slot *slot;
    uint32_t person;
};

struct grades_equal {
    struct daemon *daemon;
    int64_t until_ms;
    const char *(*user_of)(void *ctx, int64_t account);
    void *ctx;
    struct equal_key after; /* of the rows that are read */
    struct work_table table[TABLES];
    struct work_problem *problem;
    size_t problems;
    struct work_note *note;
    size_t notes;
    size_t first, end; /* the notes of the person who is told */
};

struct grades_equal *
grades_equal_new(struct daemon *d, int64_t until_ms,
                 const char *(*user_of)(void *ctx, int64_t account), void *ctx)
{
    struct grades_equal *e = xcalloc(1, sizeof *e);

    *e = (struct grades_equal){
        .daemon = d, .until_ms = until_ms, .user_of = user_of, .ctx = ctx};
    return e;
}

void
grades_equal_free(struct grades_equal *e)
{
    if (e == NULL)
        return;
    for (size_t i = 0; i < TABLES; i++) {
        for (size_t j = 0; j < e->table[i].slots; j++)
            free(e->table[i].slot[j].told);
        free(e->table[i].slot);
    }
    for (size_t i = 0; i < e->problems; i++)
        free(e->problem[i].slug);
    equal_key_free(&e->after);
    free(e->problem);
    free(e->note);
    free(e);
}

/* --- the digests --------------------------------------------------------- */

/* Of the digits, and of the problem and the kind by FNV-1a (Fowler, Noll, Vo). */
static uint64_t
key_of(const char *problem, enum equal_kind kind, const char *digest)
{
    const size_t len = strlen(digest);
    uint64_t key =
        strtoull(digest + (len > KEY_DIGITS ? len - KEY_DIGITS : 0), NULL, 16) + kind;

    for (; *problem != '\0'; problem++)
        key = (key ^ (unsigned char)*problem) * UINT64_C(1099511628211);
    return key ^ key >> 32;
}

/* The place of a key in its table, before that is searched on. */
static size_t
place_of(const struct work_table *t, uint64_t key)
{
    return (size_t)(key / TABLES) & (t->slots - 1);
}

static void
slot_add(struct work_table *t, const struct work_slot *slot)
{
    size_t at = place_of(t, slot->key);

    while (t->slot[at].id != 0)
        at = (at + 1) & (t->slots - 1);
    t->slot[at] = *slot;
    t->used++;
}

static void
table_grow(struct work_table *t)
{
    const struct work_table old = *t;

    *t = (struct work_table){.slots = old.slots > 0 ? old.slots * 2 : SLOTS_MIN};
    t->slot = xcalloc(t->slots, sizeof *t->slot);
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i].id != 0)
            slot_add(t, &old.slot[i]);
    free(old.slot);
}

/* Rows of one problem come one after another. */
static uint32_t
problem_of_row(struct grades_equal *e, const char *slug)
{
    if (e->problems == 0 || strcmp(e->problem[e->problems - 1].slug, slug) != 0) {
        e->problem = xrealloc(e->problem, (e->problems + 1) * sizeof *e->problem);
        e->problem[e->problems++] = (struct work_problem){.slug = xstrdup(slug)};
    }
    return (uint32_t)(e->problems - 1);
}

static void
take_row(void *arg, const struct equal_row *row)
{
    struct grades_equal *e = arg;
    const uint64_t key = key_of(row->problem, row->kind, row->digest);
    struct work_table *t = &e->table[key % TABLES];

    if (t->used >= t->slots / 2)
        table_grow(t);
    slot_add(t, &(struct work_slot){.key = key,
                                    .id = row->id,
                                    .problem = problem_of_row(e, row->problem),
                                    .noted = NOBODY,
                                    .kind = row->kind});
}

int
grades_equal_read(struct grades_equal *e, bool *more, struct report *r)
{
    return store_look_at_equal(e->daemon->store, ROWS_AT_ONCE, take_row, e, &e->after,
                               more, r);
}

/* --- what is noted ------------------------------------------------------- */

/* Is the source of the submission the starter's, and so nobody's work? */
static bool
is_starter(struct grades_equal *e, uint32_t number, const char *digest)
{
    struct work_problem *p = &e->problem[number];

    if (!p->looked) {
        struct digest starter;

        known_work_starter(e->daemon, p->slug, &starter);
        if (starter.size > 0)
            memcpy(p->starter, starter.hex, sizeof p->starter);
        p->looked = true;
    }
    return p->starter[0] != '\0' && strcmp(p->starter, digest) == 0;
}

static void
note_digest(struct grades_equal *e, uint32_t person, const struct graded *sub,
            enum equal_kind kind, const char *digest)
{
    const uint64_t key = key_of(sub->problem, kind, digest);
    const struct work_table *t = &e->table[key % TABLES];

    for (size_t at = place_of(t, key); t->slots > 0 && t->slot[at].id != 0;
         at = (at + 1) & (t->slots - 1)) {
        struct work_slot *s = &t->slot[at];

        if (s->key != key || s->kind != kind || s->noted == person ||
            strcmp(e->problem[s->problem].slug, sub->problem) != 0 ||
            is_starter(e, s->problem, sub->source_digest))
            continue;
        s->noted = person;
        if ((e->notes & (e->notes - 1)) == 0)
            e->note =
                xrealloc(e->note, (e->notes > 0 ? 2 * e->notes : 1) * sizeof *e->note);
        e->note[e->notes++] = (struct work_note){s, person};
    }
}

void
grades_equal_note(struct grades_equal *e, size_t person, const struct graded *sub)
{
    if (sub->source_digest == NULL)
        return;
    note_digest(e, (uint32_t)person, sub, EQUAL_SOURCE, sub->source_digest);
    if (sub->ptx_digest != NULL)
        note_digest(e, (uint32_t)person, sub, EQUAL_PTX, sub->ptx_digest);
}

/* --- what is told -------------------------------------------------------- */

/* Those of the people of a work who are graded, and sent it in time. */
static struct told_work *
told_work_of(const struct grades_equal *e, const struct equal_work *w)
{
    struct told_work *told = xcalloc(1, sizeof *told + w->count * sizeof told->person[0]);

    if (w->count < 2 || equal_work_follows_from_source(w))
        return told;
    for (size_t i = 0; i < w->count; i++) {
        const struct equal_person *p = &w->person[i];
        const char *user =
            p->created_ms <= e->until_ms ? e->user_of(e->ctx, p->account) : NULL;

        if (user != NULL)
            told->person[told->count++] = (struct told_person){p->account, user};
    }
    return told;
}

/* Reads the work of a slot, if it is not read yet. One that is gone has nobody. */
static int
slot_read(struct grades_equal *e, struct work_slot *s, struct report *r)
{
    struct equal_work w = {0};
    bool found = false;

    if (s->told != NULL)
        return 0;
    if (store_equal_read(e->daemon->store, s->id, &found, &w, r) != 0)
        return -1;
    s->told = told_work_of(e, &w);
    equal_work_free(&w);
    return 0;
}

static bool
told_work_has(const struct told_work *w, int64_t account)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->person[i].account == account)
            return true;
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
add_others(const struct work_slot *s, int64_t account, cJSON *list)
{
    if (!told_work_has(s->told, account))
        return;
    for (size_t i = 0; i < s->told->count; i++) {
        const struct told_person *p = &s->told->person[i];
        cJSON *o;

        if (p->account == account || names_user(list, p->user))
            continue;
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "user", p->user);
        cJSON_AddStringToObject(o, "kind", equal_kind_name(s->kind));
        cJSON_AddItemToArray(list, o);
    }
}

/* Sources first, and the oldest work. */
static int
compare_notes(const void *a, const void *b)
{
    const struct work_slot *one = ((const struct work_note *)a)->slot;
    const struct work_slot *other = ((const struct work_note *)b)->slot;

    if (one->kind != other->kind)
        return one->kind == EQUAL_SOURCE ? -1 : 1;
    return (one->id > other->id) - (one->id < other->id);
}

/* Finds the person's notes. */
static void
notes_go_to(struct grades_equal *e, size_t person)
{
    if (e->end > e->first && e->note[e->first].person == person)
        return;
    e->first = e->end;
    while (e->first < e->notes && e->note[e->first].person < person)
        e->first++;
    e->end = e->first;
    while (e->end < e->notes && e->note[e->end].person == person)
        e->end++;
    if (e->end > e->first)
        qsort(&e->note[e->first], e->end - e->first, sizeof *e->note, compare_notes);
}

cJSON *
grades_equal_json(struct grades_equal *e, size_t person, int64_t account,
                  const char *problem, struct report *r)
{
    cJSON *list = cJSON_CreateArray();

    notes_go_to(e, person);
    for (size_t i = e->first; i < e->end; i++) {
        struct work_slot *s = e->note[i].slot;

        if (strcmp(e->problem[s->problem].slug, problem) != 0)
            continue;
        if (slot_read(e, s, r) != 0) {
            cJSON_Delete(list);
            return NULL;
        }
        add_others(s, account, list);
    }
    return list;
}
