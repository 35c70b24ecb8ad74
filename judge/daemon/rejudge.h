/*
 * Judging again: submissions that an admin chooses are judged by the problems, and on the
 * machine, as they are now. All of these are one run. At most one run is under way, and
 * the last one is kept to be asked about.
 *
 * A run stays in memory. Each result is held until all are there. Then the daemon finds
 * out which ranks would change, in small steps between which it does everything else. A
 * preview ends with that. Otherwise all results take the places of the old ones in one
 * transaction, or none does (record/replace.h). A run that fails, is cancelled, or ends
 * with the daemon has changed nothing.
 *
 * Nothing is told of the submissions meanwhile: to everybody they are done, with their
 * old results. The queue takes one in where its device has nothing else to do (queue.h).
 */
#ifndef DAEMON_REJUDGE_H
#define DAEMON_REJUDGE_H

#include "daemon/idle.h"
#include "problem/meaning.h"
#include "record/replace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon;
struct rejudge;

/* The most submissions of a run. Their results wait in memory, and the transaction of so
 * many takes seconds, in which the daemon answers nobody. */
#define REJUDGE_MAX 5000

/*       enumerator  name in the API */
#define REJUDGE_STATES(X)                                                                \
    X(JUDGING, "judging")                                                                \
    X(PREVIEWED, "previewed") /* all are judged, and nothing was written */              \
    X(REPLACED, "replaced")   /* all are judged, and their results are replaced */       \
    X(FAILED, "failed")                                                                  \
    X(CANCELLED, "cancelled")

enum rejudge_state {
#define X(name, text) REJUDGE_##name,
    REJUDGE_STATES(X)
#undef X
};

const char *rejudge_state_name(enum rejudge_state state);

/* A submission that is judged again. */
struct rejudged {
    int64_t id;
    char *user, *problem, *filename;
    char *device, *board; /* on which it is judged again */
    enum verdict before;
    double before_ns; /* 0: it had no time */
    bool begun, judged;
    struct finished_submission after; /* once it is judged; these are here of it */
    struct result result;
    char *node, *driver;         /* of the worker that judged it; NULL: none */
    char meaning[MEANING_BYTES]; /* "": the problem changed meanwhile */
};

struct rejudged_list {
    struct rejudged *row;
    size_t count;
};

void rejudged_list_free(struct rejudged_list *list);

struct rejudge_run {
    int64_t number; /* 1 is the first of this daemon */
    enum rejudge_state state;
    bool preview;
    struct rejudged_list list;
    size_t judged;
    size_t left_out;            /* chosen, but could not be judged (rejudge_choose()), or
                                   their source was deleted meanwhile */
    char *message;              /* why it failed or was cancelled; else NULL */
    struct rank_changes ranks;  /* PREVIEWED, REPLACED */
    int64_t begun_ms, ended_ms; /* ended_ms: 0 while it is judged */
};

struct rejudge *rejudge_new(struct daemon *d);
void rejudge_free(struct rejudge *all);

/* Begins a run over the list, which belongs to it from then on. None may be under way. */
void rejudge_begin(struct daemon *d, struct rejudged_list *list, size_t left_out,
                   bool preview);

/* The last run, or NULL. */
const struct rejudge_run *rejudge_last(const struct rejudge *all);
bool rejudge_is_under_way(const struct rejudge *all);

/* Ends the run that is under way, if any. */
void rejudge_cancel(struct daemon *d, const char *message);

/* --- for the queue ------------------------------------------------------ */

/* The next submission that waits to be judged again on the device; it counts as begun.
 * False where none does. */
bool rejudge_next(struct rejudge *all, const char *device, struct idle_work *out);

/* Ends the run where one of its submissions waits for a device that is not in this
 * machine any more. */
void rejudge_check_devices(struct daemon *d);

/* Takes a result, and what it points to, which belongs to the run from then on. After the
 * last one the run ends. The result of a run that has ended is freed. */
void rejudge_take(struct daemon *d, int64_t run, int64_t id,
                  const struct finished_submission *finished);

/* --- which are judged again --------------------------------------------- */

/* What an admin asks for. Either ids, or at least one of problem and board. */
struct rejudge_wish {
    const int64_t *id;
    size_t id_count;
    const char *problem; /* NULL: of any */
    const char *board;   /* NULL: of any */
    bool changed;        /* only results whose problem has changed since */
};

/* Chooses the submissions. Only those count that were submitted for a board and judged.
 * One that cannot be judged again, since its source was deleted or no device here has its
 * board, is left out; but among ids it is an error. Where the wish cannot be granted
 * *bad is true, and the report is for who asks; otherwise -1 is a failure of ours. */
int rejudge_choose(struct daemon *d, const struct rejudge_wish *wish,
                   struct rejudged_list *out, size_t *left_out, bool *bad,
                   struct report *r);

#endif
