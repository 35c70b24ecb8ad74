/*
 * The store: what the judge remembers, in one SQLite file (leaderboard.db). It is in WAL
 * mode with synchronous=FULL, so that what a function here has done is on the disk.
 *
 * Every change is one transaction. A submission is `queued` from the moment it is
 * accepted until the transaction that records its result makes it `done`. Compiling and
 * running are not stored, because they are facts about processes that end with the
 * daemon. A daemon may therefore be killed at any moment. When it starts again, it finds
 * every unfinished submission queued, and nothing has to be repaired.
 *
 * One process writes: the daemon, which holds a lock file (lock.h). Others may read.
 * Functions return 0, or -1 with a sentence that names the file and says what to do.
 */
#ifndef RECORD_STORE_H
#define RECORD_STORE_H

#include "base/buf.h"
#include "base/report.h"
#include "record/job.h"

#include <stdbool.h>
#include <stdint.h>

struct store; /* one thread uses it at a time */

/* Opens or makes the file, checks it for damage, and brings an older schema up to date.
 */
int store_open(const char *path, struct store **out, struct report *r);

/* What was done to open a database. */
struct store_opening {
    bool checked;      /* for damage; otherwise store_check.h does it beside the daemon */
    int upgraded_from; /* the schema's version; 0: it was new, or up to date */
    int schema;        /* its version now */
    uint64_t upgrade_ns; /* how long the upgrade took */
};

/* The same, but a large file is not checked, because that takes seconds. */
int store_open_to_serve(const char *path, struct store **out, struct store_opening *how,
                        struct report *r);

/* The same for who only reads, also beside the daemon. The schema must be up to date.
 * Such a store has no rankings: store_ranking() and store_place() are not for it. */
int store_open_to_read(const char *path, struct store **out, struct report *r);
void store_close(struct store *s);

/* --- writing ------------------------------------------------------------ */

/* A key under which a client sends a submission, so that it can send it again and nothing
 * is submitted twice (daemon/idempotency.h). It counts for KEY_HOURS hours. */
#define KEY_HOURS 24
struct submission_key {
    const char *owner; /* a hash of the key and of whose it is */
    uint64_t body;     /* a fingerprint of what was sent */
};

struct new_submission {
    const char *user, *problem, *device, *board, *filename;
    const char *source; /* NUL-terminated */
    const char *sha256; /* of the source, as hash_hex() writes it; NULL: it is computed */
    /* It never ranks, and is judged by the sample tests, unless its profile says more. */
    bool sample_tests_only;
    enum profile profile;
    const char *own_case; /* JSON of problem/own_case.h, only of a `run`; NULL: none */
    const char *seed;     /* of its inputs, only of what is graded; NULL: none is given */
    const struct submission_key *key; /* NULL: none */
};

int store_submit(struct store *s, const struct new_submission *n, int64_t *id,
                 struct report *r);

/* Stores several in one transaction: all of them or none. */
int store_submit_all(struct store *s, const struct new_submission *n, size_t count,
                     int64_t *ids, struct report *r);

/* What was submitted with a key of this owner: *id, or 0 for nothing; and then *body is
 * not set. */
int store_find_key(struct store *s, const char *owner, int64_t *id, uint64_t *body,
                   struct report *r);

/* Stores the number of the attempt that comes next, because the one before failed through
 * our fault. The submission stays queued. */
int store_set_attempt(struct store *s, int64_t id, int attempt, struct report *r);

struct next_attempt {
    int64_t id;
    int number;
};

/* The same of several submissions in one transaction: all of them or none. */
int store_set_attempts(struct store *s, const struct next_attempt *list, size_t count,
                       struct report *r);

/* The end of a submission, as store_record() takes it. */
struct finished_submission {
    const struct result *result; /* if its board is empty, the submission's board stays */
    double compile_seconds;
    bool compile_cached;
    bool insecure;       /* it was judged without a sandbox */
    int64_t device_ms;   /* how long it had its device */
    const char *meaning; /* of the problem then (problem/meaning.h); NULL: not known */
    /* Of the worker that judged it; NULL: it was judged on the judge's own machine. */
    const char *node, *driver;
    struct digest source, ptx; /* of its work (equal.h); their size is 0: not known */
};

/* Records the result: the submission, its tests and samples and, where it is the user's
 * best accepted one on its board, the entry. Each meaning of a problem has a board of its
 * own, and so has what is not known to have one. Recording a submission that is done
 * already changes nothing and succeeds. */
int store_record(struct store *s, int64_t id, const struct finished_submission *f,
                 struct report *r);

/* --- reading ------------------------------------------------------------ */

struct submission {
    int64_t id;
    char *user, *problem, *device, *board, *filename;
    char *meaning; /* what of the problem its result belongs to */
    bool sample_tests_only;
    enum profile profile;
    bool done;
    int attempt;
    struct result result; /* only if done; only store_get() adds tests and samples */
    double compile_seconds;
    bool compile_cached;
    int64_t created_ms, finished_ms;
    int64_t device_ms;   /* how long it had its device */
    bool insecure;       /* it was judged without a sandbox */
    char *node, *driver; /* of the worker that judged it; NULL: none did */
    bool best;           /* it is its user's entry on its board */
    bool own_case;       /* it was run on a case of its user's own */
    bool concealed; /* the store leaves it false; daemon/api_submissions.c has its use */
};

void submission_free(struct submission *sub);

/* A list owns its rows, which submissions_free() frees. */
struct submissions {
    struct submission *row;
    size_t count;
};

void submissions_free(struct submissions *list);

/* Where there is no such submission, *found is false and out is not touched. */
/* store_get_row() leaves out its tests and samples. */
int store_get_row(struct store *s, int64_t id, bool *found, struct submission *out,
                  struct report *r);
int store_get(struct store *s, int64_t id, bool *found, struct submission *out,
              struct report *r);

/* What is read between these two is of one state of the database. It also costs less:
 * SQLite locks the database and looks for a journal once for all of it. Nothing may be
 * written in between. */
int store_read_begin(struct store *s, struct report *r);
void store_read_end(struct store *s);

/* Submissions of this user to this problem with numbers below `before`, at most `limit`,
 * newest first. NULL means any user or any problem. Without `graded` the list is without
 * what is graded in bulk. The rows are without counters, notices, conditions and seed.
 * The cost is that of the rows that are returned. */
int store_list(struct store *s, const char *user, const char *problem, bool graded,
               int64_t before, int limit, struct submissions *out, struct report *r);

/* Where a page of `count` rows of such a list ends: *last is the number of its last row,
 * or 0 where none follows. */
int store_list_end(struct store *s, const char *user, const char *problem, bool graded,
                   int64_t before, int64_t count, int64_t *last, struct report *r);

/* Every submission that is not done, oldest first, without the same. */
int store_pending(struct store *s, struct submissions *out, struct report *r);

int store_source(struct store *s, int64_t id, bool *found, struct buf *out,
                 struct report *r);

/* Up to `most` bytes of a source from byte `first` on; none behind its end. */
int store_source_part(struct store *s, int64_t id, size_t first, size_t most,
                      struct buf *out, struct report *r);

/* The JSON of its case of its user's own, which the caller frees; NULL: it has none. */
int store_own_case(struct store *s, int64_t id, char **out, struct report *r);

/* The arrays of cases that asked for them are kept for so many of the newest. */
#define ARRAYS_KEPT 32

/* The seed of its inputs, which the caller frees; NULL: none is known, or none was
 * given yet. */
int store_seed(struct store *s, int64_t id, char **out, struct report *r);

/* Up to `most` bytes of their JSON from byte `first` on. *found is false where there are
 * none, or none any more. */
int store_arrays_part(struct store *s, int64_t id, size_t first, size_t most, bool *found,
                      struct buf *out, struct report *r);

struct entry {
    char *user;
    char *display_name; /* to show beside the user; empty where there is none */
    int64_t submission, created_ms;
    double time_ns, work_bytes, work_flops;
    double low_ns, high_ns; /* the interval of the time */
    double roofline_ns;     /* 0: not known */
    bool review, insecure;
    char *remark; /* NULL: none */
};

struct entries {
    struct entry *entry;
    size_t count;
};

/* A board: a problem, a kind of device, and what of the problem its entries belong to. */
struct board {
    const char *problem, *device;
    const char *meaning; /* problem/meaning.h, or one of the words below */
};

/* The ranking of a board, which the caller releases. */
struct ranking;
struct ranking *store_ranking(struct store *s, const struct board *b);

/* The meanings of the boards of a problem on a kind of device that have entries, without
 * that of `b` itself. The board with the newest submission comes first. */
struct other_board {
    char *meaning;
    int64_t newest; /* submission */
    size_t entries;
};
struct other_boards {
    struct other_board *row;
    size_t count;
};
void store_other_boards(struct store *s, const struct board *b, struct other_boards *out);
void other_boards_free(struct other_boards *list);

/* The meaning of results that are not known to have one, and that of results of before
 * schema 13, until somebody says what these belong to. */
#define MEANING_UNKNOWN "unknown"
#define MEANING_OF_BEFORE "before"

/* Calls `found` for each board with entries of MEANING_OF_BEFORE. It must not change the
 * store. */
void store_boards_of_before(struct store *s,
                            void (*found)(void *arg, const char *problem,
                                          const char *device),
                            void *arg);

/* Gives results of MEANING_OF_BEFORE the meaning of the board where their benchmark had
 * these sizes. What the others belong to is not known. Entries are chosen anew, since a
 * user may have one on each board. All of it is one transaction, and all rankings are
 * read again. */
struct adoption {
    struct board board;
    const char *sizes;
};
int store_adopt(struct store *s, const struct adoption *list, size_t count,
                struct report *r);

/* A board begins anew where an admin says so, as after a new driver: its meaning becomes
 * another (daemon/meanings.h). The store counts how often each board has. */
int store_begin_board(struct store *s, const char *problem, const char *device,
                      struct report *r);

/* Calls `found` for each board that was begun anew. It must not change the store. */
int store_begun_boards(struct store *s,
                       void (*found)(void *arg, const char *problem, const char *device,
                                     int64_t number),
                       void *arg, struct report *r);

/* A number that changes with whatever says who may do what: accounts and tokens. */
uint64_t store_rights_version(const struct store *s);

/* How often accounts were renamed or removed since the store was opened. A board whose
 * ranking has not changed shows the same unless this has. */
uint64_t store_renamed(const struct store *s);

/* Up to `most` entries of a ranking, from entry `first` on. It reads them together, and
 * is not for who has begun to read. */
int store_entries(struct store *s, const struct ranking *g, size_t first, size_t most,
                  struct entries *out, struct report *r);
void entries_free(struct entries *e);

/* The place of this user's time among the entries of all OTHER users. *own_ns is the time
 * of the user's own entry, 0 where there is none. */
struct place;
struct measured;
int store_place(struct store *s, const struct board *b, const char *user,
                const struct measured *time, struct place *out, double *own_ns,
                struct report *r);

/* The entry of this user on a board. *found is false where there is none; then *out is
 * not set. */
struct ranked;
int store_entry_of(struct store *s, const struct board *b, const char *user, bool *found,
                   struct ranked *out, struct report *r);

/* Does a board of this name hold an entry, for any problem? */
int store_board_exists(struct store *s, const char *board, bool *out, struct report *r);

#endif
