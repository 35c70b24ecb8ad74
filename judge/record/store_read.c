/* The functions of the store that read the database. */
#include "record/store_statements.h"

#include <stdlib.h>
#include <string.h>

void
submission_free(struct submission *sub)
{
    free(sub->user);
    free(sub->problem);
    free(sub->device);
    free(sub->board);
    free(sub->meaning);
    free(sub->filename);
    free(sub->node);
    free(sub->driver);
    result_free(&sub->result);
    *sub = (struct submission){0};
}

void
submissions_free(struct submissions *list)
{
    for (size_t i = 0; i < list->count; i++)
        submission_free(&list->row[i]);
    free(list->row);
    *list = (struct submissions){0};
}

static int
read_verdict(struct store *s, const char *name, enum verdict *out, struct report *r)
{
    if (verdict_parse(name, out) == 0)
        return 0;
    return report_fail(r, "%s holds a verdict \"%s\" that this warpjudge does not know",
                       s->path, name);
}

static void
store_read_timing_field(sqlite3_stmt *st, int column, struct timing *t,
                        const struct timing_field *f)
{
    void *member = timing_field_member(t, f);

    switch (f->kind) {
    case TIMING_TIME:
    case TIMING_KNOWN_TIME:
    case TIMING_WORK:
        *(double *)member = sqlite3_column_double(st, column);
        break;
    case TIMING_FLAG:
        *(bool *)member = sqlite3_column_int(st, column) != 0;
        break;
    case TIMING_COUNT:
        *(int *)member = sqlite3_column_int(st, column);
        break;
    case TIMING_TEXT:
    case TIMING_OPTIONAL_TEXT:
    case TIMING_OPTIONAL_JSON:
        *(char **)member = store_column_copy(st, column);
        break;
    }
}

static void
store_read_timing(sqlite3_stmt *st, struct timing *t)
{
    t->present =
        sqlite3_column_type(st, COLUMN_TIMING + TIMING_INDEX_median_ns) != SQLITE_NULL;
    for (int i = 0; i < TIMING_FIELD_COUNT; i++)
        store_read_timing_field(st, COLUMN_TIMING + i, t, &timing_fields[i]);
}

/* A row of SELECT_SUBMISSIONS. */
static int
read_submission(struct store *s, sqlite3_stmt *st, struct submission *out,
                struct report *r)
{
    struct submission sub = {.id = sqlite3_column_int64(st, COLUMN_ID)};

    sub.done = sqlite3_column_int(st, COLUMN_DONE) != 0;
    if (sub.done && read_verdict(s, (const char *)sqlite3_column_text(st, COLUMN_VERDICT),
                                 &sub.result.verdict, r) != 0)
        return -1;
    sub.user = store_column_copy(st, COLUMN_USER);
    sub.problem = store_column_copy(st, COLUMN_PROBLEM);
    sub.device = store_column_copy(st, COLUMN_DEVICE);
    sub.board = store_column_copy(st, COLUMN_BOARD);
    sub.meaning = store_column_copy(st, COLUMN_MEANING);
    sub.filename = store_column_copy(st, COLUMN_FILENAME);
    sub.sample_tests_only = sqlite3_column_int(st, COLUMN_SAMPLE_TESTS_ONLY) != 0;
    sub.profile = (enum profile)sqlite3_column_int(st, COLUMN_PROFILE);
    sub.attempt = sqlite3_column_int(st, COLUMN_ATTEMPT);
    sub.result.message = store_column_copy(st, COLUMN_MESSAGE);
    store_read_timing(st, &sub.result.timing);
    sub.result.counters = store_column_copy(st, COLUMN_COUNTERS);
    sub.result.notices = store_column_copy(st, COLUMN_NOTICES);
    sub.result.findings = store_column_copy(st, COLUMN_FINDINGS);
    sub.compile_seconds = sqlite3_column_double(st, COLUMN_COMPILE_SECONDS);
    sub.compile_cached = sqlite3_column_int(st, COLUMN_COMPILE_CACHED) != 0;
    sub.created_ms = sqlite3_column_int64(st, COLUMN_CREATED_MS);
    sub.finished_ms = sqlite3_column_int64(st, COLUMN_FINISHED_MS);
    sub.best = sqlite3_column_int(st, COLUMN_BEST) != 0;
    sub.device_ms = sqlite3_column_int64(st, COLUMN_DEVICE_MS);
    sub.own_case = sqlite3_column_int(st, COLUMN_OWN_CASE) != 0;
    sub.insecure = sqlite3_column_int(st, COLUMN_INSECURE) != 0;
    sub.node = store_column_copy(st, COLUMN_NODE);
    sub.driver = store_column_copy(st, COLUMN_DRIVER);
    sub.result.seed = store_column_copy(st, COLUMN_SEED);
    *out = sub;
    return 0;
}

/* All rows of a statement that begins with SELECT_SUBMISSIONS. */
static int
store_read_all(struct store *s, sqlite3_stmt *st, struct submissions *out,
               struct report *r)
{
    struct submissions list = {0};
    size_t capacity = 0;
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        if (list.count == capacity) {
            capacity = capacity != 0 ? capacity * 2 : 16;
            list.row = xrealloc(list.row, capacity * sizeof *list.row);
        }
        if (read_submission(s, st, &list.row[list.count], r) != 0) {
            sqlite3_reset(st);
            rc = -1;
            break;
        }
        list.count++;
    }
    if (rc != SQLITE_DONE) {
        submissions_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

static int
store_read_tests(struct store *s, struct submission *sub, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_TESTS, "i", sub->id);
    struct result *res = &sub->result;
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        struct test_result *t;

        res->test =
            xrealloc(res->test, (size_t)(res->test_count + 1) * sizeof *res->test);
        t = &res->test[res->test_count];
        *t = (struct test_result){.number = sqlite3_column_int(st, 0)};
        if (read_verdict(s, (const char *)sqlite3_column_text(st, 1), &t->verdict, r) !=
            0) {
            sqlite3_reset(st);
            return -1;
        }
        t->sizes = store_column_copy(st, 2);
        t->detail = store_column_copy(st, 3);
        res->test_count++;
    }
    return rc == SQLITE_DONE ? 0 : -1;
}

static int
store_read_samples(struct store *s, struct submission *sub, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_SAMPLES, "i", sub->id);
    struct timing *t = &sub->result.timing;
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        t->sample_ns =
            xrealloc(t->sample_ns, (size_t)(t->sample_count + 1) * sizeof *t->sample_ns);
        t->sample_ns[t->sample_count++] = sqlite3_column_double(st, 0);
    }
    return rc == SQLITE_DONE ? 0 : -1;
}

int
store_get_row(struct store *s, int64_t id, bool *found, struct submission *out,
              struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_GET, "i", id);
    int rc = store_step(s, st, r);

    if (rc != SQLITE_ROW) {
        if (rc == SQLITE_DONE)
            *found = false;
        return rc == SQLITE_DONE ? 0 : -1;
    }
    rc = read_submission(s, st, out, r);
    sqlite3_reset(st);
    if (rc == 0)
        *found = true;
    return rc;
}

int
store_get(struct store *s, int64_t id, bool *found, struct submission *out,
          struct report *r)
{
    struct submission sub;
    bool any = false;

    if (store_get_row(s, id, &any, &sub, r) != 0)
        return -1;
    if (!any) {
        *found = false;
        return 0;
    }
    if (store_read_tests(s, &sub, r) != 0 || store_read_samples(s, &sub, r) != 0) {
        submission_free(&sub);
        return -1;
    }
    *found = true;
    *out = sub;
    return 0;
}

/* The statements of a list by what it is filtered by; each takes two numbers first. */
enum { LIST_ALL, LIST_USER, LIST_PROBLEM, LIST_BOTH, LIST_FILTERS };

static sqlite3_stmt *
bind_list(struct store *s, const enum statement which[LIST_FILTERS], int64_t before,
          int64_t count, const char *user, const char *problem)
{
    if (user != NULL && problem != NULL)
        return store_bind(s, which[LIST_BOTH], "iitt", before, count, user, problem);
    if (user != NULL)
        return store_bind(s, which[LIST_USER], "iit", before, count, user);
    if (problem != NULL)
        return store_bind(s, which[LIST_PROBLEM], "iit", before, count, problem);
    return store_bind(s, which[LIST_ALL], "ii", before, count);
}

int
store_list(struct store *s, const char *user, const char *problem, bool graded,
           int64_t before, int limit, struct submissions *out, struct report *r)
{
    static const enum statement which[][LIST_FILTERS] = {
        {ST_PEOPLE, ST_PEOPLE_USER, ST_PEOPLE_PROBLEM, ST_PEOPLE_USER_PROBLEM},
        {ST_LIST, ST_LIST_USER, ST_LIST_PROBLEM, ST_LIST_USER_PROBLEM}};

    return store_read_all(s, bind_list(s, which[graded], before, limit, user, problem),
                          out, r);
}

int
store_list_end(struct store *s, const char *user, const char *problem, bool graded,
               int64_t before, int64_t count, int64_t *last, struct report *r)
{
    static const enum statement which[][LIST_FILTERS] = {
        {ST_END_PEOPLE, ST_END_PEOPLE_USER, ST_END_PEOPLE_PROBLEM,
         ST_END_PEOPLE_USER_PROBLEM},
        {ST_END, ST_END_USER, ST_END_PROBLEM, ST_END_USER_PROBLEM}};
    sqlite3_stmt *st = bind_list(s, which[graded], before, count, user, problem);
    int64_t id = 0;
    int rc;

    rc = store_step(s, st, r);
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
store_read_begin(struct store *s, struct report *r)
{
    return store_run(s, s->statement[ST_READ], r);
}

void
store_read_end(struct store *s)
{
    (void)store_run(s, s->statement[ST_COMMIT], NULL);
}

int
store_pending(struct store *s, struct submissions *out, struct report *r)
{
    return store_read_all(s, store_bind(s, ST_PENDING, ""), out, r);
}

/* Runs a statement that gives at most one row of one text. */
static int
store_read_text(struct store *s, sqlite3_stmt *st, bool *found, struct buf *out,
                struct report *r)
{
    int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(st, 0);

        buf_clear(out);
        buf_add(out, bytes, (size_t)sqlite3_column_bytes(st, 0));
        sqlite3_reset(st);
    }
    return 0;
}

int
store_source(struct store *s, int64_t id, bool *found, struct buf *out, struct report *r)
{
    return store_read_text(s, store_bind(s, ST_SOURCE, "i", id), found, out, r);
}

int
store_source_part(struct store *s, int64_t id, size_t first, size_t most, struct buf *out,
                  struct report *r)
{
    bool found;

    buf_clear(out);
    return store_read_text(
        s, store_bind(s, ST_SOURCE_PART, "iii", id, (int64_t)first, (int64_t)most),
        &found, out, r);
}

/* Copies the text of a row of one column; NULL where there is none. */
static int
store_read_copy(struct store *s, sqlite3_stmt *st, char **out, struct report *r)
{
    const int rc = store_step(s, st, r);

    if (rc < 0)
        return -1;
    *out = rc == SQLITE_ROW ? store_column_copy(st, 0) : NULL;
    sqlite3_reset(st);
    return 0;
}

int
store_own_case(struct store *s, int64_t id, char **out, struct report *r)
{
    return store_read_copy(s, store_bind(s, ST_OWN_CASE, "i", id), out, r);
}

int
store_seed(struct store *s, int64_t id, char **out, struct report *r)
{
    return store_read_copy(s, store_bind(s, ST_SEED, "i", id), out, r);
}

int
store_arrays_part(struct store *s, int64_t id, size_t first, size_t most, bool *found,
                  struct buf *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_HAS_ARRAYS, "i", id);
    sqlite3_blob *blob = NULL;
    const int rc = store_step(s, st, r);
    bool failed = false;
    size_t size, n;
    char *bytes;

    buf_clear(out);
    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (!*found)
        return 0;
    sqlite3_reset(st);
    /* A column of a statement is read whole for each part. */
    if (sqlite3_blob_open(s->db, "main", "own_arrays", "text", id, 0, &blob) != SQLITE_OK)
        return store_fail(s, r);
    size = (size_t)sqlite3_blob_bytes(blob);
    n = first >= size ? 0 : size - first < most ? size - first : most;
    bytes = xmalloc(n + 1);
    failed = n > 0 && sqlite3_blob_read(blob, bytes, (int)n, (int)first) != SQLITE_OK;
    if (!failed)
        buf_add(out, bytes, n);
    else
        store_fail(s, r);
    free(bytes);
    sqlite3_blob_close(blob);
    return failed ? -1 : 0;
}

int
store_board_exists(struct store *s, const char *board, bool *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_BOARD_EXISTS, "t", board);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *out = sqlite3_column_int(st, 0) != 0;
    sqlite3_reset(st);
    return 0;
}
