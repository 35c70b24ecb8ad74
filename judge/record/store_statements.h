/* Private to store*.c: the database handle, the SQL of every statement, and the functions
 * that bind and run them. */
#ifndef RECORD_STORE_STATEMENTS_H
#define RECORD_STORE_STATEMENTS_H

#include "record/accounts_statements.h"
#include "record/announcements_statements.h"
#include "record/assignments_statements.h"
#include "record/calibrations_statements.h"
#include "record/equal_statements.h"
#include "record/grades_statements.h"
#include "record/groups_statements.h"
#include "record/moves_statements.h"
#include "record/ranking.h"
#include "record/solved_statements.h"
#include "record/store.h"

#include <sqlite3.h>

/* PRAGMA application_id is "wjdg", so that another program's database is not taken for
 * ours. */
#define APPLICATION_ID 0x776a6467
#define BUSY_TIMEOUT_MS 5000

/* What is read of a submission: these columns, then those of TIMING_FIELDS. The reader
 * (store_read.c) names a column by its enumerator. The columns of D are details, which
 * may be long and which a list does not read: there they are NULL. */
#define SUBMISSION_COLUMNS(X, D)                                                         \
    X(ID, "s.id")                                                                        \
    X(USER, "u.name")                                                                    \
    X(PROBLEM, "s.problem")                                                              \
    X(DEVICE, "s.device")                                                                \
    X(BOARD, "s.board")                                                                  \
    X(MEANING, "s.meaning")                                                              \
    X(FILENAME, "s.filename")                                                            \
    X(SAMPLE_TESTS_ONLY, "s.sample_only")                                                \
    X(PROFILE, "s.profile")                                                              \
    X(DONE, "s.done")                                                                    \
    X(ATTEMPT, "s.attempt")                                                              \
    X(VERDICT, "s.verdict")                                                              \
    X(MESSAGE, "s.message")                                                              \
    D(COUNTERS, "s.counters")                                                            \
    D(NOTICES, "s.notices")                                                              \
    D(FINDINGS, "s.findings")                                                            \
    X(COMPILE_SECONDS, "s.compile_seconds")                                              \
    X(COMPILE_CACHED, "s.compile_cached")                                                \
    X(CREATED_MS, "s.created_ms")                                                        \
    X(FINISHED_MS, "s.finished_ms")                                                      \
    X(BEST, "EXISTS (SELECT 1 FROM entries e WHERE e.submission_id = s.id)")             \
    X(INSECURE, "s.insecure")                                                            \
    X(DEVICE_MS, "s.device_ms")                                                          \
    X(NODE, "s.node")                                                                    \
    X(DRIVER, "s.driver")                                                                \
    X(OWN_CASE, "s.own_case IS NOT NULL")                                                \
    D(SEED, "s.seed")

enum submission_column {
#define X(name, sql) COLUMN_##name,
    SUBMISSION_COLUMNS(X, X)
#undef X
        COLUMN_TIMING /* the first of TIMING_FIELDS */
};

#define SELECT_COLUMN(name, sql) sql ", "
#define SELECT_NULL(name, sql) "NULL, "
#define SELECT_TIMING(kind, member, json, column, api) "s." column ", "
/* The same for a list, by the kind of the field. */
#define LIST_TIMING(kind, member, json, column, api) LIST_TIMING_##kind(column)
#define LIST_TIMING_TIME(column) "s." column ", "
#define LIST_TIMING_KNOWN_TIME(column) "s." column ", "
#define LIST_TIMING_WORK(column) "s." column ", "
#define LIST_TIMING_FLAG(column) "s." column ", "
#define LIST_TIMING_COUNT(column) "s." column ", "
#define LIST_TIMING_TEXT(column) "s." column ", "
#define LIST_TIMING_OPTIONAL_TEXT(column) "s." column ", "
#define LIST_TIMING_OPTIONAL_JSON(column) "NULL, "
/* The 1 ends the list, because every column before it is followed by a comma. */
#define FROM_SUBMISSIONS "1 FROM submissions s JOIN users u ON u.id = s.user_id "
#define SELECT_SUBMISSIONS                                                               \
    "SELECT " SUBMISSION_COLUMNS(SELECT_COLUMN, SELECT_COLUMN)                           \
        TIMING_FIELDS(SELECT_TIMING) FROM_SUBMISSIONS
#define LIST_SUBMISSIONS                                                                 \
    "SELECT " SUBMISSION_COLUMNS(SELECT_COLUMN, SELECT_NULL) TIMING_FIELDS(LIST_TIMING)  \
        FROM_SUBMISSIONS
/* The newest of a list first, of those that are older than ?1. */
#define LIST_ORDER " s.id < ?1 ORDER BY s.id DESC LIMIT ?2"
/* The last of a page of ?2 of them, and the one behind it. */
#define END_ORDER " s.id < ?1 ORDER BY s.id DESC LIMIT 2 OFFSET ?2 - 1"
#define USER_IS(parameter) "s.user_id = (SELECT id FROM users WHERE name = " parameter ")"

/* The numbers of what is not graded in bulk, the newest first, as `condition` says, of
 * those that are older than ?1. The table `listed` has those that came since it was made,
 * and an index of all submissions leads to those of before. 3 is PROFILE_GRADE. */
#define PEOPLE_NUMBERS(listed_index, index, condition)                                   \
    "SELECT s.id FROM listed s " listed_index " WHERE " condition " s.id < ?1"           \
    " UNION ALL SELECT s.id FROM submissions s " index " WHERE " condition               \
    " s.id < min(?1, (SELECT id + 1 FROM listed_since)) AND s.profile < 3"               \
    " ORDER BY 1 DESC"
#define PEOPLE_ALL PEOPLE_NUMBERS("", "NOT INDEXED", "")
#define PEOPLE_OF_USER                                                                   \
    PEOPLE_NUMBERS("INDEXED BY listed_by_user", "INDEXED BY submissions_by_user",        \
                   USER_IS("?3") " AND")
#define PEOPLE_OF_PROBLEM                                                                \
    PEOPLE_NUMBERS("INDEXED BY listed_by_problem", "INDEXED BY submissions_by_problem",  \
                   "s.problem = ?3 AND")
#define PEOPLE_OF_USER_PROBLEM                                                           \
    PEOPLE_NUMBERS("INDEXED BY listed_by_user_problem",                                  \
                   "INDEXED BY submissions_by_user_problem",                             \
                   USER_IS("?3") " AND s.problem = ?4 AND")
#define LIST_PEOPLE(numbers)                                                             \
    "WITH p (id) AS (" numbers                                                           \
    " LIMIT ?2) SELECT " SUBMISSION_COLUMNS(SELECT_COLUMN, SELECT_NULL)                  \
        TIMING_FIELDS(LIST_TIMING) "1 FROM p CROSS JOIN submissions s"                   \
                                   " ON s.id = p.id JOIN users u"                        \
                                   " ON u.id = s.user_id"                                \
                                   " ORDER BY p.id DESC"
#define END_PEOPLE(numbers) numbers " LIMIT 2 OFFSET ?2 - 1"

/* The value of a TIMING_FIELDS column is the parameter of the same name. */
#define SET_TIMING(kind, member, json, column, api) ", " column " = :" column

/* Of the submissions that a condition names. */
#define INSERT_ENTRIES                                                                   \
    "INSERT INTO entries (problem, board, meaning, user_id, submission_id, time_ns,"     \
    " low_ns, high_ns) SELECT problem, board, meaning, user_id, id, time_ns, low_ns,"    \
    " high_ns FROM submissions"

/* An end of an entry's interval, which is its submission's where it has none. */
#define ENTRY_INTERVAL(column)                                                           \
    " coalesce(" column ", (SELECT s." column                                            \
    " FROM submissions s WHERE s.id = entries.submission_id))"

/* Statements are prepared once, when the store is opened. */
#define STATEMENTS(X)                                                                    \
    X(BEGIN, "BEGIN IMMEDIATE")                                                          \
    X(READ, "BEGIN DEFERRED")                                                            \
    X(COMMIT, "COMMIT")                                                                  \
    X(ROLLBACK, "ROLLBACK")                                                              \
    X(ADD_USER, "INSERT INTO users (name, created_ms) VALUES (?1, ?2)"                   \
                " ON CONFLICT (name) DO NOTHING")                                        \
    X(ADD_SOURCE, "INSERT INTO sources (sha256, text) VALUES (?1, ?2)"                   \
                  " ON CONFLICT (sha256) DO NOTHING")                                    \
    X(ADD_SUBMISSION,                                                                    \
      "INSERT INTO submissions (user_id, problem, device, board, filename, source,"      \
      " sample_only, created_ms, profile, own_case, seed)"                               \
      " SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM users"                  \
      " WHERE name = ?1")                                                                \
    X(ADD_KEY,                                                                           \
      "INSERT OR REPLACE INTO submission_keys (owner, body, submission_id, created_ms)"  \
      " VALUES (?1, ?2, ?3, ?4)")                                                        \
    X(FIND_KEY, "SELECT submission_id, body FROM submission_keys"                        \
                " WHERE owner = ?1 AND created_ms > ?2")                                 \
    X(DROP_KEYS, /* of the oldest, so that it costs the same however many there are */   \
      "DELETE FROM submission_keys WHERE owner IN (SELECT owner FROM (SELECT owner,"     \
      " created_ms FROM submission_keys ORDER BY submission_id LIMIT 8)"                 \
      " WHERE created_ms <= ?1)")                                                        \
    X(SET_ATTEMPT, "UPDATE submissions SET attempt = ?2 WHERE id = ?1 AND done = 0")     \
    X(FINISH, /* max(): if the clock was set back, it still ends after its beginning */  \
      "UPDATE submissions SET done = 1, verdict = ?2, message = ?3,"                     \
      " board = CASE ?4 WHEN '' THEN board ELSE ?4 END, counters = ?5, notices = ?6,"    \
      " compile_seconds = ?7, compile_cached = ?8,"                                      \
      " finished_ms = max(?9, created_ms), insecure = ?10, seed = ?11,"                  \
      " device_ms = ?12, findings = ?13, meaning = ?14, node = ?15, driver = "           \
      "?16" TIMING_FIELDS(SET_TIMING) " WHERE id = ?1 AND done = 0")                     \
    X(KEEP_PAST,                                                                         \
      "INSERT INTO past_results (submission_id, number, finished_ms, replaced_ms,"       \
      " verdict, message, board, meaning, sizes, time_ns, low_ns, high_ns, seed)"        \
      " SELECT id, (SELECT count(*) + 1 FROM past_results WHERE submission_id = ?1),"    \
      " finished_ms, ?2, verdict, message, board, meaning, sizes, time_ns, low_ns,"      \
      " high_ns, seed FROM submissions WHERE id = ?1 AND done = 1")                      \
    X(PAST, "SELECT finished_ms, replaced_ms, verdict, message, board, meaning, sizes,"  \
            " time_ns, low_ns, high_ns FROM past_results WHERE submission_id = ?1"       \
            " ORDER BY number")                                                          \
    X(REPLACE, /* the parameters of FINISH; ?12 is not taken */                          \
      "UPDATE submissions SET verdict = ?2, message = ?3,"                               \
      " board = CASE ?4 WHEN '' THEN board ELSE ?4 END, counters = ?5, notices = ?6,"    \
      " compile_seconds = ?7, compile_cached = ?8,"                                      \
      " finished_ms = max(?9, created_ms), insecure = ?10, seed = ?11,"                  \
      " findings = ?13, meaning = ?14, node = ?15, driver = ?16" TIMING_FIELDS(          \
          SET_TIMING) " WHERE id = ?1 AND done = 1")                                     \
    X(DROP_TESTS, "DELETE FROM tests WHERE submission_id = ?1")                          \
    X(DROP_SAMPLES, "DELETE FROM samples WHERE submission_id = ?1")                      \
    X(SOURCE_OF, "SELECT source FROM submissions WHERE id = ?1")                         \
    X(DROP_OVERTAKEN, "DELETE FROM passed WHERE submission_id = ?1")                     \
    X(DROP_BEST, "UPDATE moves SET best_id = NULL, best_ns = NULL, rank_before = NULL"   \
                 " WHERE best_id = ?1")                                                  \
    X(DROP_PAST, "DELETE FROM past_results WHERE submission_id = ?1")                    \
    X(DROP_SUBMISSION, "DELETE FROM submissions WHERE id = ?1 AND done = 1")             \
    X(SUBJECT, "SELECT user_id, problem FROM submissions WHERE id = ?1")                 \
    X(PREVIEW_SUBJECT, "SELECT user_id, problem, board, done, sample_only"               \
                       " FROM submissions WHERE id = ?1")                                \
    X(SUBJECT_RESULTS, /* of which the entries are chosen */                             \
      "SELECT problem, board, meaning, id, time_ns, low_ns, high_ns FROM submissions"    \
      " WHERE user_id = ?1 AND problem = ?2 AND verdict = 'accepted'"                    \
      " AND sample_only = 0 AND time_ns > 0")                                            \
    X(SUBJECT_ENTRIES,                                                                   \
      "SELECT e.problem, e.board, e.meaning, e.submission_id, e.time_ns, s.low_ns,"      \
      " s.high_ns FROM submissions s CROSS JOIN entries e ON e.submission_id = s.id"     \
      " WHERE s.user_id = ?1 AND s.problem = ?2")                                        \
    X(SUBJECT_CLEAR,                                                                     \
      "DELETE FROM entries WHERE submission_id IN"                                       \
      " (SELECT id FROM submissions WHERE user_id = ?1 AND problem = ?2)")               \
    X(SUBJECT_CHOOSE, /* the fastest of each board comes first, and stays */             \
      INSERT_ENTRIES                                                                     \
      " WHERE user_id = ?1 AND problem = ?2 AND verdict = 'accepted'"                    \
      " AND sample_only = 0 AND time_ns > 0"                                             \
      " ORDER BY time_ns, id ON CONFLICT (problem, board, meaning, user_id) DO NOTHING") \
    X(ADD_TEST, "INSERT INTO tests (submission_id, number, verdict, sizes, detail)"      \
                " VALUES (?1, ?2, ?3, ?4, ?5)")                                          \
    X(ADD_SAMPLE, "INSERT INTO samples (submission_id, number, time_ns)"                 \
                  " VALUES (?1, ?2, ?3)")                                                \
    X(ADD_ENTRY, INSERT_ENTRIES                                                          \
      " WHERE id = ?1 AND time_ns > 0"                                                   \
      " ON CONFLICT (problem, board, meaning, user_id) DO UPDATE"                        \
      " SET submission_id = excluded.submission_id, time_ns = excluded.time_ns,"         \
      " low_ns = excluded.low_ns, high_ns = excluded.high_ns"                            \
      " WHERE excluded.time_ns < entries.time_ns")                                       \
    X(GET, SELECT_SUBMISSIONS "WHERE s.id = ?1")                                         \
    /* One for each index, because a condition that may be absent uses none. */          \
    X(LIST, LIST_SUBMISSIONS "WHERE" LIST_ORDER)                                         \
    X(LIST_USER, LIST_SUBMISSIONS "WHERE " USER_IS("?3") " AND" LIST_ORDER)              \
    X(LIST_PROBLEM, LIST_SUBMISSIONS "WHERE s.problem = ?3 AND" LIST_ORDER)              \
    X(LIST_USER_PROBLEM,                                                                 \
      LIST_SUBMISSIONS "WHERE " USER_IS("?3") " AND s.problem = ?4 AND" LIST_ORDER)      \
    X(END, "SELECT s.id FROM submissions s WHERE" END_ORDER)                             \
    X(END_USER, "SELECT s.id FROM submissions s WHERE " USER_IS("?3") " AND" END_ORDER)  \
    X(END_PROBLEM, "SELECT s.id FROM submissions s WHERE s.problem = ?3 AND" END_ORDER)  \
    X(END_USER_PROBLEM, "SELECT s.id FROM submissions s WHERE " USER_IS(                 \
                            "?3") " AND s.problem = ?4 AND" END_ORDER)                   \
    X(PEOPLE, LIST_PEOPLE(PEOPLE_ALL))                                                   \
    X(PEOPLE_USER, LIST_PEOPLE(PEOPLE_OF_USER))                                          \
    X(PEOPLE_PROBLEM, LIST_PEOPLE(PEOPLE_OF_PROBLEM))                                    \
    X(PEOPLE_USER_PROBLEM, LIST_PEOPLE(PEOPLE_OF_USER_PROBLEM))                          \
    X(END_PEOPLE, END_PEOPLE(PEOPLE_ALL))                                                \
    X(END_PEOPLE_USER, END_PEOPLE(PEOPLE_OF_USER))                                       \
    X(END_PEOPLE_PROBLEM, END_PEOPLE(PEOPLE_OF_PROBLEM))                                 \
    X(END_PEOPLE_USER_PROBLEM, END_PEOPLE(PEOPLE_OF_USER_PROBLEM))                       \
    X(PENDING, LIST_SUBMISSIONS "WHERE s.done = 0 ORDER BY s.id")                        \
    X(TESTS, "SELECT number, verdict, sizes, detail FROM tests"                          \
             " WHERE submission_id = ?1 ORDER BY number")                                \
    X(SAMPLES, "SELECT time_ns FROM samples WHERE submission_id = ?1 ORDER BY number")   \
    X(SOURCE, "SELECT text FROM sources WHERE sha256 ="                                  \
              " (SELECT source FROM submissions WHERE id = ?1)")                         \
    X(OWN_CASE, "SELECT own_case FROM submissions WHERE id = ?1")                        \
    X(SEED, "SELECT seed FROM submissions WHERE id = ?1")                                \
    X(ADD_ARRAYS, "INSERT INTO own_arrays (submission_id, text) VALUES (?1, ?2)")        \
    X(DROP_ARRAYS,                                                                       \
      "DELETE FROM own_arrays WHERE submission_id NOT IN (SELECT"                        \
      " submission_id FROM own_arrays ORDER BY submission_id DESC LIMIT ?1)")            \
    X(HAS_ARRAYS, "SELECT 1 FROM own_arrays WHERE submission_id = ?1")                   \
    X(SOURCE_PART, "SELECT substr(CAST(text AS BLOB), ?2 + 1, ?3) FROM sources"          \
                   " WHERE sha256 = (SELECT source FROM submissions WHERE id = ?1)")     \
    X(RANKINGS, /* entries of one board come one after another, as in the table */       \
      "SELECT problem, board, meaning, submission_id, time_ns," ENTRY_INTERVAL(          \
          "low_ns") "," ENTRY_INTERVAL("high_ns") " FROM entries"                        \
                                                  " ORDER BY problem, board, meaning")   \
    X(OWN_ENTRY,                                                                         \
      "SELECT submission_id, time_ns," ENTRY_INTERVAL("low_ns") "," ENTRY_INTERVAL(      \
          "high_ns") " FROM entries WHERE problem = ?1 AND board = ?2 AND meaning = ?3"  \
                     " AND user_id = (SELECT id FROM users WHERE name = ?4)")            \
    X(ENTRIES_OF, "SELECT e.problem, e.board, e.meaning, e.submission_id, e.time_ns,"    \
                  " s.low_ns, s.high_ns FROM entries e JOIN submissions s"               \
                  " ON s.id = e.submission_id WHERE e.user_id IN (?1, ?2)")              \
    X(ENTRY,                                                                             \
      "SELECT u.name, s.id, s.created_ms, s.time_ns, s.work_bytes,"                      \
      " s.work_flops, s.low_ns, s.high_ns,"                                              \
      " s.limit_ns, s.review, s.remark, s.insecure, u.display_name FROM submissions s"   \
      " JOIN users u ON u.id = s.user_id WHERE s.id = ?1")                               \
    X(ADOPT, "UPDATE submissions SET meaning = CASE WHEN sizes = ?4 THEN ?3 ELSE "       \
             "'" MEANING_UNKNOWN "' END"                                                 \
             " WHERE problem = ?1 AND board = ?2 AND meaning = '" MEANING_OF_BEFORE "'") \
    X(ADOPT_CLEAR,                                                                       \
      "DELETE FROM entries WHERE problem = ?1 AND board = ?2"                            \
      " AND meaning IN (?3, '" MEANING_UNKNOWN "', '" MEANING_OF_BEFORE "')")            \
    X(ADOPT_ENTRIES, /* the fastest of each user comes first, and stays */               \
      INSERT_ENTRIES                                                                     \
      " WHERE problem = ?1 AND board = ?2 AND meaning IN (?3, '" MEANING_UNKNOWN "')"    \
      " AND verdict = 'accepted' AND sample_only = 0 AND time_ns > 0"                    \
      " ORDER BY time_ns, id ON CONFLICT (problem, board, meaning, user_id) DO NOTHING") \
    X(BEGIN_BOARD, "INSERT INTO begun_boards (problem, board, number, begun_ms)"         \
                   " VALUES (?1, ?2, 1, ?3) ON CONFLICT (problem, board) DO UPDATE"      \
                   " SET number = number + 1, begun_ms = excluded.begun_ms")             \
    X(BEGUN_BOARDS, "SELECT problem, board, number FROM begun_boards")                   \
    X(STANDING, "SELECT problem, meaning, user_id, time_ns FROM entries"                 \
                " WHERE board = ?1 AND user_id IS NOT"                                   \
                " (SELECT id FROM users WHERE name = ?2) ORDER BY problem, meaning")     \
    X(STANDING_USER, "SELECT name, display_name FROM users WHERE id = ?1")               \
    X(STANDING_NUMBER, "SELECT id FROM users WHERE name = ?1")                           \
    X(MARKS, "SELECT filename, sha256, time_ns, low_ns, high_ns FROM marks"              \
             " WHERE problem = ?1 AND board = ?2 AND meaning = ?3"                       \
             " ORDER BY time_ns, filename")                                              \
    X(SET_MARK, "INSERT OR REPLACE INTO marks (problem, board, meaning, filename,"       \
                " sha256, time_ns, low_ns, high_ns, judged_ms)"                          \
                " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")                          \
    X(DROP_MARK, "DELETE FROM marks WHERE problem = ?1 AND board = ?2"                   \
                 " AND meaning = ?3 AND filename = ?4")                                  \
    X(BOARD_EXISTS, "SELECT EXISTS (SELECT 1 FROM entries WHERE board = ?1)")

enum statement {
#define X(name, sql) ST_##name,
    STATEMENTS(X) ACCOUNT_STATEMENTS(X) GROUP_STATEMENTS(X) ASSIGNMENT_STATEMENTS(X)
        GRADE_STATEMENTS(X) MOVE_STATEMENTS(X) SOLVED_STATEMENTS(X) EQUAL_STATEMENTS(X)
            ANNOUNCEMENT_STATEMENTS(X) CALIBRATION_STATEMENTS(X)
#undef X
                ST_COUNT
};

struct store {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *statement[ST_COUNT];
    uint64_t renamed;          /* how often rows of users were changed or removed */
    uint64_t rights;           /* how often what says who may do what was changed */
    struct rankings *rankings; /* of all boards; NULL where the store is only read */
    void (*committed)(void *arg, int length); /* store_checkpoint.h; NULL: none */
    void *committed_arg;
};

/* SQLite's update hook, which counts `renamed` and `rights`. */
void store_count_changes(void *store, int what, const char *database, const char *table,
                         sqlite3_int64 row);

/* The rankings of all boards, by their names. */
struct rankings;

void rankings_free(struct rankings *all);

/* Entries of any boards. */
struct board_entries {
    struct board_entry {
        char *problem, *board, *meaning;
        struct ranked ranked;
    } * row;
    size_t count;
};

void board_entries_free(struct board_entries *list);

/* Appends the rows of a statement that gives entries with their boards. */
int store_add_entries(struct store *s, sqlite3_stmt *st, struct board_entries *out,
                      struct report *r);

/* Writes a result into its submission's row by FINISH or REPLACE, and then its tests and
 * samples. Where no row was changed, sqlite3_changes() is 0. */
int store_write_result(struct store *s, enum statement which, int64_t id,
                       const struct finished_submission *f, struct report *r);
int store_add_details(struct store *s, int64_t id, const struct result *res,
                      struct report *r);

/* Stores a submission's digests, and notes which of them others share. A digest whose
 * size is 0 is not known. What is graded in bulk gets none. */
int store_set_digests(struct store *s, int64_t id, const struct digest *source,
                      const struct digest *ptx, struct report *r);

/* The entries of two users, of which the second may be 0. */
int store_entries_of(struct store *s, int64_t user, int64_t other,
                     struct board_entries *out, struct report *r);

/* The user's entry on a board, where there is one. */
int store_own_entry(struct store *s, const struct board *b, const char *user,
                    struct board_entries *out, struct report *r);

/* Takes entries off the rankings and puts others on them, once that is committed. */
void rankings_replace(struct rankings *all, const struct board_entries *before,
                      const struct board_entries *after);

/* Reads the rankings of all boards. */
int store_load_rankings(struct store *s, struct report *r);

/* Fails where the database is damaged (store_check.h). *damaged is false where it cannot
 * be read for another reason: then r is not filled, and the database has the error. */
int store_quick_check(sqlite3 *db, const char *path, bool *damaged, struct report *r);

/* Fills r with what to do about a damaged file, and returns -1. */
int store_fail_damaged(const char *path, const char *words, struct report *r);

/* Fills r with what the database's last error means to a person, and returns -1. */
int store_fail(struct store *s, struct report *r);

/* Resets a statement and binds values to its parameters from ?1 on. `types` has a letter
 * for each: i is an int64_t, d a double, t a text. A text may be NULL, and must live
 * until the statement has run. */
sqlite3_stmt *store_bind(struct store *s, enum statement which, const char *types, ...);

/* Runs a statement that gives no rows, and resets it. */
int store_run(struct store *s, sqlite3_stmt *st, struct report *r);

/* Returns SQLITE_ROW, SQLITE_DONE, or -1 with a report. The statement is reset unless
 * there is a row. */
int store_step(struct store *s, sqlite3_stmt *st, struct report *r);

/* A copy of a text column, which the caller frees. NULL stays NULL. */
char *store_column_copy(sqlite3_stmt *st, int column);

int store_begin(struct store *s, struct report *r);
int store_commit(struct store *s, struct report *r);
void store_rollback(struct store *s);

#endif
