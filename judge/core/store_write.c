/* What changes the database: each function is one transaction. */
#include "core/store_impl.h"

#include "core/file.h"

#include <string.h>

static int
add_submission(struct store *s, const struct new_submission *n, struct report *r)
{
    char sha256[65];
    int64_t now = now_ms();

    hash_hex(n->source, strlen(n->source), sha256);
    if (store_run(s, store_bind(s, ST_ADD_USER, "ti", n->user, now), r) != 0 ||
        store_run(s, store_bind(s, ST_ADD_SOURCE, "tt", sha256, n->source), r) != 0)
        return -1;
    return store_run(s,
                     store_bind(s, ST_ADD_SUBMISSION, "ttttttii", n->user, n->problem,
                                n->device, n->board, n->filename, sha256,
                                (int64_t)n->sample_only, now),
                     r);
}

int
store_submit(struct store *s, const struct new_submission *n, int64_t *id,
             struct report *r)
{
    int64_t added;

    if (store_begin(s, r) != 0)
        return -1;
    if (add_submission(s, n, r) != 0) {
        store_rollback(s);
        return -1;
    }
    added = sqlite3_last_insert_rowid(s->db);
    if (store_commit(s, r) != 0)
        return -1;
    *id = added;
    return 0;
}

int
store_set_attempt(struct store *s, int64_t id, int attempt, struct report *r)
{
    return store_run(s, store_bind(s, ST_SET_ATTEMPT, "ii", id, (int64_t)attempt), r);
}

static int
finish_submission(struct store *s, int64_t id, const struct outcome *o, struct report *r)
{
    const struct result *res = o->result;
    const struct timing *t = &res->timing;
    sqlite3_stmt *st = store_bind(
        s, ST_FINISH, "itttddddiiddttdiitdddtitti", id, verdict_name(res->verdict),
        res->message != NULL ? res->message : "", res->board != NULL ? res->board : "",
        t->median_ns, t->q1_ns, t->q3_ns, t->null_ns, (int64_t)t->modelled,
        (int64_t)t->warmup, t->work_bytes, t->work_flops, t->sizes, res->counters,
        o->compile_seconds, (int64_t)o->compile_cached, now_ms(), res->notices, t->low_ns,
        t->high_ns, t->limit_ns, t->limit_by, (int64_t)t->review, t->remark,
        t->conditions, (int64_t)o->insecure);

    if (!t->present) {
        for (int column = 5; column <= 8; column++)
            sqlite3_bind_null(st, column);
        for (int column = 19; column <= 20; column++)
            sqlite3_bind_null(st, column);
    }
    if (!t->present || !(t->limit_ns > 0))
        sqlite3_bind_null(st, 21);
    return store_run(s, st, r);
}

static int
add_details(struct store *s, int64_t id, const struct result *res, struct report *r)
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

/* Everything of store_record between begin and commit. */
static int
record(struct store *s, int64_t id, const struct outcome *o, struct report *r)
{
    sqlite3_stmt *get;
    int step;
    bool sample_only;

    if (finish_submission(s, id, o, r) != 0)
        return -1;
    /* No row changed: it is done already, and its tests and entry are there. */
    if (sqlite3_changes(s->db) == 0)
        return 0;
    if (add_details(s, id, o->result, r) != 0)
        return -1;
    get = store_bind(s, ST_GET, "i", id);
    step = store_step(s, get, r);
    if (step != SQLITE_ROW)
        return step == SQLITE_DONE
                   ? report_fail(r, "%s: no submission %lld", s->path, (long long)id)
                   : -1;
    sample_only = sqlite3_column_int(get, 6) != 0;
    sqlite3_reset(get);
    if (o->result->verdict != VERDICT_ACCEPTED || sample_only ||
        !o->result->timing.present)
        return 0;
    return store_run(s, store_bind(s, ST_ADD_ENTRY, "i", id), r);
}

int
store_record(struct store *s, int64_t id, const struct outcome *o, struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    if (record(s, id, o, r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}
