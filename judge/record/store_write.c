/* The functions of the store that change the database. Each is one transaction. */
#include "record/store_statements.h"

#include "base/file.h"
#include "problem/names.h"
#include "record/moves.h"
#include "record/ranked_interval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MS (KEY_HOURS * INT64_C(3600000))

/* Keeps a key, and drops some that no longer count. */
static int
add_key(struct store *s, const struct submission_key *key, int64_t id, struct report *r)
{
    const int64_t now = now_ms();

    if (store_run(s, store_bind(s, ST_DROP_KEYS, "i", now - KEY_MS), r) != 0)
        return -1;
    return store_run(
        s, store_bind(s, ST_ADD_KEY, "tiii", key->owner, (int64_t)key->body, id, now), r);
}

static int
add_submission(struct store *s, const struct new_submission *n, struct report *r)
{
    char sha256[65];
    int64_t now = now_ms();

    if (n->sha256 != NULL)
        snprintf(sha256, sizeof sha256, "%s", n->sha256);
    else
        hash_hex(n->source, strlen(n->source), sha256);
    if (store_run(s, store_bind(s, ST_ADD_USER, "ti", n->user, now), r) != 0 ||
        store_run(s, store_bind(s, ST_ADD_SOURCE, "tt", sha256, n->source), r) != 0)
        return -1;
    return store_run(s,
                     store_bind(s, ST_ADD_SUBMISSION, "ttttttiiitt", n->user, n->problem,
                                n->device, n->board, n->filename, sha256,
                                (int64_t)n->sample_tests_only, now, (int64_t)n->profile,
                                n->own_case, n->seed),
                     r);
}

int
store_submit_all(struct store *s, const struct new_submission *n, size_t count,
                 int64_t *ids, struct report *r)
{
    if (count == 0)
        return 0;
    if (store_begin(s, r) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (add_submission(s, &n[i], r) != 0) {
            store_rollback(s);
            return -1;
        }
        ids[i] = sqlite3_last_insert_rowid(s->db);
        if (n[i].key != NULL && add_key(s, n[i].key, ids[i], r) != 0) {
            store_rollback(s);
            return -1;
        }
    }
    return store_commit(s, r);
}

int
store_submit(struct store *s, const struct new_submission *n, int64_t *id,
             struct report *r)
{
    int64_t added;

    if (store_submit_all(s, n, 1, &added, r) != 0)
        return -1;
    *id = added;
    return 0;
}

int
store_find_key(struct store *s, const char *owner, int64_t *id, uint64_t *body,
               struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_FIND_KEY, "ti", owner, now_ms() - KEY_MS);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *id = 0;
    if (rc == SQLITE_ROW) {
        *id = sqlite3_column_int64(st, 0);
        *body = (uint64_t)sqlite3_column_int64(st, 1);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_set_attempt(struct store *s, int64_t id, int attempt, struct report *r)
{
    return store_run(s, store_bind(s, ST_SET_ATTEMPT, "ii", id, (int64_t)attempt), r);
}

int
store_set_attempts(struct store *s, const struct next_attempt *list, size_t count,
                   struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (store_set_attempt(s, list[i].id, list[i].number, r) != 0) {
            store_rollback(s);
            return -1;
        }
    return store_commit(s, r);
}

static void
bind_timing_field(sqlite3_stmt *st, const struct timing *t, const struct timing_field *f)
{
    char *name = xasprintf(":%s", f->column);
    const int at = sqlite3_bind_parameter_index(st, name);

    free(name);
    switch (f->kind) {
    case TIMING_TIME:
    case TIMING_KNOWN_TIME:
        if (timing_field_is_known(t, f))
            sqlite3_bind_double(st, at, timing_field_number(t, f));
        else
            sqlite3_bind_null(st, at);
        break;
    case TIMING_WORK:
        sqlite3_bind_double(st, at, timing_field_number(t, f));
        break;
    case TIMING_FLAG:
        sqlite3_bind_int(st, at, timing_field_flag(t, f));
        break;
    case TIMING_COUNT:
        sqlite3_bind_int(st, at, timing_field_count(t, f));
        break;
    case TIMING_TEXT:
    case TIMING_OPTIONAL_TEXT:
    case TIMING_OPTIONAL_JSON:
        sqlite3_bind_text(st, at, timing_field_text(t, f), -1, SQLITE_STATIC);
        break;
    }
}

int
store_write_result(struct store *s, enum statement which, int64_t id,
                   const struct finished_submission *f, struct report *r)
{
    const struct result *res = f->result;
    sqlite3_stmt *st = store_bind(
        s, which, "itttttdiiititttt", id, verdict_name(res->verdict),
        res->message != NULL ? res->message : "", res->board != NULL ? res->board : "",
        res->counters, res->notices, f->compile_seconds, (int64_t)f->compile_cached,
        now_ms(), (int64_t)f->insecure, res->seed, f->device_ms, res->findings,
        f->meaning != NULL ? f->meaning : MEANING_UNKNOWN, f->node, f->driver);

    for (int i = 0; i < TIMING_FIELD_COUNT; i++)
        bind_timing_field(st, &res->timing, &timing_fields[i]);
    return store_run(s, st, r);
}

int
store_add_details(struct store *s, int64_t id, const struct result *res, struct report *r)
{
    for (int i = 0; i < res->test_count; i++) {
        const struct test_result *t = &res->test[i];

        if (store_run(s,
                      store_bind(s, ST_ADD_TEST, "iittt", id, (int64_t)t->number,
                                 verdict_name(t->verdict),
                                 t->sizes != NULL ? t->sizes : "", t->detail),
                      r) != 0)
            return -1;
    }
    for (int i = 0; res->timing.present && i < res->timing.sample_count; i++)
        if (store_run(s,
                      store_bind(s, ST_ADD_SAMPLE, "iid", id, (int64_t)i,
                                 res->timing.sample_ns[i]),
                      r) != 0)
            return -1;
    return 0;
}

/* The user's entry on the submission's board, before and after a result. */
struct board_change {
    struct board_entries before, after;
};

/* Keeps what a result changed on the board. */
static int
record_move(struct store *s, int64_t id, const struct timing *t,
            const struct board *board, const struct board_change *change,
            struct report *r)
{
    const struct measured time = {t->median_ns, t->low_ns, t->high_ns};
    const struct new_move n = {
        .id = id,
        .board = board,
        .time = ranked_interval(&time, board->device),
        .before = change->before.count > 0 ? &change->before.row[0].ranked : NULL,
        .after = change->after.count > 0 ? &change->after.row[0].ranked : NULL};

    return n.after != NULL ? store_add_move(s, &n, r) : 0;
}

/* Makes the submission, a row of SELECT_SUBMISSIONS, its user's entry where it is the
 * best. */
static int
record_entry(struct store *s, int64_t id, sqlite3_stmt *row, const struct timing *t,
             struct board_change *change, struct report *r)
{
    char *problem = store_column_copy(row, COLUMN_PROBLEM);
    char *device = store_column_copy(row, COLUMN_BOARD);
    char *meaning = store_column_copy(row, COLUMN_MEANING);
    const struct board board = {problem, device, meaning};
    char *user = store_column_copy(row, COLUMN_USER);
    int rc;

    sqlite3_reset(row);
    rc = store_own_entry(s, &board, user, &change->before, r);
    if (rc == 0)
        rc = store_run(s, store_bind(s, ST_ADD_ENTRY, "i", id), r);
    if (rc == 0)
        rc = store_own_entry(s, &board, user, &change->after, r);
    if (rc == 0 && strcmp(user, HOUSE_USER) != 0)
        rc = record_move(s, id, t, &board, change, r);
    free(problem);
    free(device);
    free(meaning);
    free(user);
    return rc;
}

/* Keeps the arrays of a case, and drops those of older ones. */
static int
store_add_arrays(struct store *s, int64_t id, const char *text, struct report *r)
{
    if (text == NULL)
        return 0;
    if (store_run(s, store_bind(s, ST_ADD_ARRAYS, "it", id, text), r) != 0)
        return -1;
    return store_run(s, store_bind(s, ST_DROP_ARRAYS, "i", (int64_t)ARRAYS_KEPT), r);
}

/* What store_record() does between begin and commit. */
static int
record_finished(struct store *s, int64_t id, const struct finished_submission *f,
                struct board_change *change, struct report *r)
{
    sqlite3_stmt *get;
    int step;
    bool sample_tests_only;

    if (store_write_result(s, ST_FINISH, id, f, r) != 0)
        return -1;
    /* If no row changed, the submission is done already, and its tests and entry are
     * there. */
    if (sqlite3_changes(s->db) == 0)
        return 0;
    if (store_set_digests(s, id, &f->source, &f->ptx, r) != 0 ||
        store_add_details(s, id, f->result, r) != 0 ||
        store_run(s, store_bind(s, ST_ADD_CALIBRATIONS, "i", id), r) != 0 ||
        store_add_arrays(s, id, f->result->arrays, r) != 0)
        return -1;
    get = store_bind(s, ST_GET, "i", id);
    step = store_step(s, get, r);
    if (step != SQLITE_ROW)
        return step == SQLITE_DONE
                   ? report_fail(r, "%s: no submission %lld", s->path, (long long)id)
                   : -1;
    sample_tests_only = sqlite3_column_int(get, COLUMN_SAMPLE_TESTS_ONLY) != 0;
    if (f->result->verdict == VERDICT_ACCEPTED && !sample_tests_only &&
        f->result->timing.present)
        return record_entry(s, id, get, &f->result->timing, change, r);
    sqlite3_reset(get);
    return 0;
}

int
store_record(struct store *s, int64_t id, const struct finished_submission *f,
             struct report *r)
{
    struct board_change change = {0};
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = record_finished(s, id, f, &change, r);
    if (rc != 0)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    if (rc == 0)
        rankings_replace(s->rankings, &change.before, &change.after);
    board_entries_free(&change.before);
    board_entries_free(&change.after);
    return rc;
}
