/* Stores digests of submissions, and finds those that several people share. */
#include "record/equal.h"

#include "base/file.h"
#include "record/store_statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
equal_kind_name(enum equal_kind kind)
{
    static const char *const NAMES[] = {
#define X(name, text) text,
        EQUAL_KINDS(X)
#undef X
    };

    return NAMES[kind];
}

void
equal_work_free(struct equal_work *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->person[i].user);
        free(w->person[i].display_name);
    }
    free(w->person);
    free(w->problem);
    *w = (struct equal_work){0};
}

bool
equal_work_follows_from_source(const struct equal_work *w)
{
    if (w->kind != EQUAL_PTX || w->more)
        return false;
    for (size_t i = 0; i < w->count; i++)
        if (w->person[i].source[0] == '\0' ||
            strcmp(w->person[i].source, w->person[0].source) != 0)
            return false;
    return true;
}

/* --- writing ------------------------------------------------------------ */

static const char *
digest_text(const struct digest *d)
{
    return d->size > 0 ? d->hex : NULL;
}

/* Adds a row for a digest that another user's submission has. */
static int
note_shared(struct store *s, const char *problem, int64_t account, enum equal_kind kind,
            const struct digest *d, struct report *r)
{
    static const enum statement SHARED[] = {ST_EQUAL_SOURCE_SHARED, ST_EQUAL_PTX_SHARED};
    sqlite3_stmt *st;
    bool shared;

    if (d->size == 0)
        return 0;
    st = store_bind(s, SHARED[kind], "tti", problem, d->hex, account);
    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    shared = sqlite3_column_int(st, 0) != 0;
    sqlite3_reset(st);
    if (!shared)
        return 0;
    return store_run(
        s, store_bind(s, ST_EQUAL_ADD, "titi", problem, (int64_t)kind, d->hex, d->size),
        r);
}

int
store_set_digests(struct store *s, int64_t id, const struct digest *source,
                  const struct digest *ptx, struct report *r)
{
    sqlite3_stmt *st;
    char *problem;
    int64_t account;
    bool is_work; /* and was not graded in bulk */
    int rc;

    if (store_run(s,
                  store_bind(s, ST_SET_DIGESTS, "ititi", id, digest_text(source),
                             source->size, digest_text(ptx), ptx->size),
                  r) != 0)
        return -1;
    st = store_bind(s, ST_DIGESTS, "i", id);
    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    problem = store_column_copy(st, 0);
    account = sqlite3_column_int64(st, 5);
    is_work = sqlite3_column_type(st, 1) != SQLITE_NULL ||
              sqlite3_column_type(st, 3) != SQLITE_NULL;
    sqlite3_reset(st);
    rc = is_work ? note_shared(s, problem, account, EQUAL_SOURCE, source, r) : 0;
    if (rc == 0 && is_work)
        rc = note_shared(s, problem, account, EQUAL_PTX, ptx, r);
    free(problem);
    return rc;
}

/* --- reading ------------------------------------------------------------ */

static void
copy_digest(sqlite3_stmt *st, int column, struct digest *out)
{
    const char *hex = (const char *)sqlite3_column_text(st, column);

    *out = (struct digest){0};
    if (hex == NULL || !digest_is_valid(hex))
        return;
    memcpy(out->hex, hex, sizeof out->hex);
    out->size = sqlite3_column_int64(st, column + 1);
}

static int
compare_people(const void *a, const void *b)
{
    const struct equal_person *one = a, *other = b;

    return (one->submission > other->submission) - (one->submission < other->submission);
}

static void
add_person(struct equal_work *w, sqlite3_stmt *st)
{
    const char *source = (const char *)sqlite3_column_text(st, 3);
    struct equal_person *p;

    if ((w->count & (w->count - 1)) == 0)
        w->person =
            xrealloc(w->person, (w->count > 0 ? 2 * w->count : 1) * sizeof *w->person);
    p = &w->person[w->count++];
    *p = (struct equal_person){.account = sqlite3_column_int64(st, 0),
                               .submission = sqlite3_column_int64(st, 1),
                               .created_ms = sqlite3_column_int64(st, 2),
                               .user = store_column_copy(st, 4),
                               .display_name = store_column_copy(st, 5)};
    if (source != NULL && digest_is_valid(source))
        memcpy(p->source, source, sizeof p->source);
}

/* Fills in the people of a work without the account `but`. */
static int
read_people(struct store *s, struct equal_work *w, int64_t but, struct report *r)
{
    static const enum statement NEXT[] = {ST_EQUAL_SOURCE_NEXT, ST_EQUAL_PTX_NEXT};
    int64_t account = 0;
    int rc;

    for (;;) {
        sqlite3_stmt *st =
            store_bind(s, NEXT[w->kind], "tti", w->problem, w->digest.hex, account);

        rc = store_step(s, st, r);
        if (rc != SQLITE_ROW)
            break;
        account = sqlite3_column_int64(st, 0);
        w->more = account != but && w->count == EQUAL_PEOPLE_MAX;
        if (account != but && !w->more)
            add_person(w, st);
        sqlite3_reset(st);
        if (w->more)
            break;
    }
    if (rc == -1)
        return -1;
    if (w->count > 0)
        qsort(w->person, w->count, sizeof *w->person, compare_people);
    return 0;
}

/* Copies a row of equal_work, without its people. */
static struct equal_work
work_of_row(sqlite3_stmt *st)
{
    struct equal_work w = {.id = sqlite3_column_int64(st, 0),
                           .problem = store_column_copy(st, 1),
                           .kind = sqlite3_column_int(st, 2) == EQUAL_PTX ? EQUAL_PTX
                                                                          : EQUAL_SOURCE};

    copy_digest(st, 3, &w.digest);
    return w;
}

int
store_equal_before(struct store *s, const char *problem, int64_t before, bool *found,
                   struct equal_work *out, struct report *r)
{
    for (;;) {
        sqlite3_stmt *st = problem != NULL
                               ? store_bind(s, ST_EQUAL_BEFORE_OF, "it", before, problem)
                               : store_bind(s, ST_EQUAL_BEFORE, "i", before);
        const int rc = store_step(s, st, r);
        struct equal_work w;

        if (rc == -1)
            return -1;
        *found = rc == SQLITE_ROW;
        if (!*found)
            return 0;
        w = work_of_row(st);
        sqlite3_reset(st);
        if (read_people(s, &w, 0, r) != 0) {
            equal_work_free(&w);
            return -1;
        }
        if (w.count >= 2) {
            *out = w;
            return 0;
        }
        before = w.id;
        equal_work_free(&w);
    }
}

int
store_equal_end(struct store *s, const char *problem, int64_t before, int64_t count,
                int64_t *last, struct report *r)
{
    sqlite3_stmt *st = problem != NULL
                           ? store_bind(s, ST_EQUAL_END_OF, "iit", before, count, problem)
                           : store_bind(s, ST_EQUAL_END, "ii", before, count);
    int64_t id = 0;
    int rc = store_step(s, st, r);

    if (rc == SQLITE_ROW) {
        id = sqlite3_column_int64(st, 0);
        rc = store_step(s, st, r);
    }
    if (rc == -1)
        return -1;
    *last = rc == SQLITE_ROW ? id : 0;
    if (rc == SQLITE_ROW)
        sqlite3_reset(st);
    return 0;
}

int
store_equal_to(struct store *s, int64_t id, struct equal_work out[EQUAL_KIND_COUNT],
               struct report *r)
{
    struct equal_work w[EQUAL_KIND_COUNT] = {{.kind = EQUAL_SOURCE}, {.kind = EQUAL_PTX}};
    sqlite3_stmt *st = store_bind(s, ST_DIGESTS, "i", id);
    int rc = store_step(s, st, r);
    int64_t account;

    if (rc != SQLITE_ROW)
        return rc == SQLITE_DONE
                   ? report_fail(r, "there is no submission %lld", (long long)id)
                   : -1;
    for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++) {
        w[kind].problem = store_column_copy(st, 0);
        copy_digest(st, 1 + 2 * kind, &w[kind].digest);
    }
    account = sqlite3_column_int64(st, 5);
    sqlite3_reset(st);
    rc = 0;
    for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++)
        if (rc == 0 && w[kind].digest.size > 0)
            rc = read_people(s, &w[kind], account, r);
    for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++)
        if (rc == 0)
            out[kind] = w[kind];
        else
            equal_work_free(&w[kind]);
    return rc;
}

/* Copies what comes before the next rows. The row's texts live as long as its statement.
 */
static void
equal_key_set(struct equal_key *k, const struct equal_row *row)
{
    if (k->problem == NULL || strcmp(k->problem, row->problem) != 0) {
        free(k->problem);
        k->problem = xstrdup(row->problem);
    }
    snprintf(k->digest, sizeof k->digest, "%s", row->digest);
    k->kind = row->kind;
}

int
store_look_at_equal(struct store *s, int most,
                    void (*look)(void *arg, const struct equal_row *row), void *arg,
                    struct equal_key *after, bool *more, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_EQUAL_AFTER, "ttii",
                                  after->problem != NULL ? after->problem : "",
                                  after->digest, (int64_t)after->kind, (int64_t)most);
    int rc, seen = 0;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        const struct equal_row row = {
            .id = sqlite3_column_int64(st, 0),
            .problem = (const char *)sqlite3_column_text(st, 1),
            .kind = sqlite3_column_int(st, 2) == EQUAL_PTX ? EQUAL_PTX : EQUAL_SOURCE,
            .digest = (const char *)sqlite3_column_text(st, 3)};

        look(arg, &row);
        if (++seen == most)
            equal_key_set(after, &row);
    }
    if (rc != SQLITE_DONE)
        return -1;
    *more = seen == most;
    return 0;
}

void
equal_key_free(struct equal_key *k)
{
    free(k->problem);
    *k = (struct equal_key){0};
}

int
store_equal_read(struct store *s, int64_t id, bool *found, struct equal_work *out,
                 struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_EQUAL_ROW, "i", id);
    const int rc = store_step(s, st, r);
    struct equal_work w;

    if (rc == -1)
        return -1;
    if (rc == SQLITE_ROW) {
        w = work_of_row(st);
        sqlite3_reset(st);
        if (read_people(s, &w, 0, r) != 0) {
            equal_work_free(&w);
            return -1;
        }
        *out = w;
    }
    *found = rc == SQLITE_ROW;
    return 0;
}
