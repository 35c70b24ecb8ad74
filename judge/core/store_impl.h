/* Private to store*.c: the handle, the prepared statements, and how they are run. */
#ifndef CORE_STORE_IMPL_H
#define CORE_STORE_IMPL_H

#include "core/store.h"

#include <sqlite3.h>

#define SUBMISSION_COLUMNS                                                               \
    "s.id, u.name, s.problem, s.device, s.board, s.filename, s.sample_only, s.done,"     \
    " s.attempt, s.verdict, s.message, s.time_ns, s.q1_ns, s.q3_ns, s.null_ns,"          \
    " s.modelled, s.warmup, s.work_bytes, s.work_flops, s.sizes, s.counters,"            \
    " s.compile_seconds, s.compile_cached, s.created_ms, s.finished_ms,"                 \
    " EXISTS (SELECT 1 FROM entries e WHERE e.submission_id = s.id), s.notices,"         \
    " s.low_ns, s.high_ns, s.limit_ns, s.limit_by, s.review, s.remark, s.conditions,"    \
    " s.insecure"

#define FROM_SUBMISSIONS " FROM submissions s JOIN users u ON u.id = s.user_id "

/* Statements are prepared once, when the store is opened. */
#define STATEMENTS(X)                                                                    \
    X(BEGIN, "BEGIN IMMEDIATE")                                                          \
    X(COMMIT, "COMMIT")                                                                  \
    X(ROLLBACK, "ROLLBACK")                                                              \
    X(ADD_USER, "INSERT INTO users (name, created_ms) VALUES (?1, ?2)"                   \
                " ON CONFLICT (name) DO NOTHING")                                        \
    X(ADD_SOURCE, "INSERT INTO sources (sha256, text) VALUES (?1, ?2)"                   \
                  " ON CONFLICT (sha256) DO NOTHING")                                    \
    X(ADD_SUBMISSION,                                                                    \
      "INSERT INTO submissions (user_id, problem, device, board, filename, source,"      \
      " sample_only, created_ms)"                                                        \
      " SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM users WHERE name = ?1")               \
    X(SET_ATTEMPT, "UPDATE submissions SET attempt = ?2 WHERE id = ?1 AND done = 0")     \
    X(FINISH, /* a wall clock that was set back does not end it before it began */       \
      "UPDATE submissions SET done = 1, verdict = ?2, message = ?3,"                     \
      " board = CASE ?4 WHEN '' THEN board ELSE ?4 END, time_ns = ?5, q1_ns = ?6,"       \
      " q3_ns = ?7, null_ns = ?8, modelled = ?9, warmup = ?10, work_bytes = ?11,"        \
      " work_flops = ?12, sizes = ?13, counters = ?14, compile_seconds = ?15,"           \
      " compile_cached = ?16, finished_ms = max(?17, created_ms), notices = ?18,"        \
      " low_ns = ?19, high_ns = ?20,"                                                    \
      " limit_ns = ?21, limit_by = ?22, review = ?23, remark = ?24, conditions = ?25,"   \
      " insecure = ?26"                                                                  \
      " WHERE id = ?1 AND done = 0")                                                     \
    X(ADD_TEST, "INSERT INTO tests (submission_id, number, verdict, sizes, detail)"      \
                " VALUES (?1, ?2, ?3, ?4, ?5)")                                          \
    X(ADD_SAMPLE, "INSERT INTO samples (submission_id, number, time_ns)"                 \
                  " VALUES (?1, ?2, ?3)")                                                \
    X(ADD_ENTRY,                                                                         \
      "INSERT INTO entries (problem, board, user_id, submission_id, time_ns)"            \
      " SELECT problem, board, user_id, id, time_ns FROM submissions"                    \
      " WHERE id = ?1 AND time_ns > 0"                                                   \
      " ON CONFLICT (problem, board, user_id) DO UPDATE"                                 \
      " SET submission_id = excluded.submission_id, time_ns = excluded.time_ns"          \
      " WHERE excluded.time_ns < entries.time_ns")                                       \
    X(GET, "SELECT " SUBMISSION_COLUMNS FROM_SUBMISSIONS "WHERE s.id = ?1")              \
    X(LIST, "SELECT " SUBMISSION_COLUMNS FROM_SUBMISSIONS                                \
            "WHERE (?1 IS NULL OR u.name = ?1) AND (?2 IS NULL OR s.problem = ?2)"       \
            " ORDER BY s.id DESC LIMIT ?3")                                              \
    X(PENDING,                                                                           \
      "SELECT " SUBMISSION_COLUMNS FROM_SUBMISSIONS "WHERE s.done = 0 ORDER BY s.id")    \
    X(TESTS, "SELECT number, verdict, sizes, detail FROM tests"                          \
             " WHERE submission_id = ?1 ORDER BY number")                                \
    X(SAMPLES, "SELECT time_ns FROM samples WHERE submission_id = ?1 ORDER BY number")   \
    X(SOURCE, "SELECT text FROM sources WHERE sha256 ="                                  \
              " (SELECT source FROM submissions WHERE id = ?1)")                         \
    X(BOARD, "SELECT u.name, e.submission_id, s.created_ms, e.time_ns, s.work_bytes,"    \
             " s.work_flops, s.low_ns, s.high_ns,"                                       \
             " s.limit_ns, s.review, s.remark, s.insecure FROM entries e JOIN users u "  \
             "ON u.id = e.user_id"                                                       \
             " JOIN submissions s ON s.id = e.submission_id"                             \
             " WHERE e.problem = ?1 AND e.board = ?2"                                    \
             " ORDER BY e.time_ns, s.low_ns, s.high_ns, e.submission_id")                \
    X(OTHERS, "SELECT u.name = ?3, e.time_ns, s.low_ns, s.high_ns FROM entries e"        \
              " JOIN users u ON u.id = e.user_id"                                        \
              " JOIN submissions s ON s.id = e.submission_id"                            \
              " WHERE e.problem = ?1 AND e.board = ?2"                                   \
              " ORDER BY e.time_ns, s.low_ns, s.high_ns, e.submission_id")               \
    X(BOARD_EXISTS, "SELECT EXISTS (SELECT 1 FROM entries WHERE board = ?1)")

enum statement {
#define X(name, sql) ST_##name,
    STATEMENTS(X)
#undef X
        ST_COUNT
};

struct store {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *statement[ST_COUNT];
};

/* Fills r with what the database's last error means to a person. Returns -1. */
int store_fail(struct store *s, struct report *r);

/* Binds from ?1 on: i int64_t, d double, t text (NULL allowed; must outlive the step).
 * The statement is reset first. */
sqlite3_stmt *store_bind(struct store *s, enum statement which, const char *types, ...);

/* Runs a statement that gives no rows, and resets it. */
int store_run(struct store *s, sqlite3_stmt *st, struct report *r);

/* SQLITE_ROW, SQLITE_DONE, or -1 with a report. On anything but a row it is reset. */
int store_step(struct store *s, sqlite3_stmt *st, struct report *r);

int store_begin(struct store *s, struct report *r);
int store_commit(struct store *s, struct report *r);
void store_rollback(struct store *s);

#endif
