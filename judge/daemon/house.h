/*
 * The house: the judge's own right solutions, which give boards company. An admin has
 * those of some problems, or of all, judged in idle time (idle.h). Each that is accepted
 * leaves a mark on the board (record/marks.h), which is stored at once. So a run may end
 * at any moment, and the next one judges only what is missing or has changed.
 *
 * At most one run is under way, and the last one is kept to be asked about. A run first
 * looks at its problems, one in each turn of the event loop: there may be many files.
 *
 * A solution that is not accepted is a defect of the judge's. The run goes on, and names
 * it at the end.
 */
#ifndef DAEMON_HOUSE_H
#define DAEMON_HOUSE_H

#include "daemon/idle.h"
#include "problem/meaning.h"
#include "record/marks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon;
struct finished_submission;
struct house;

/*       enumerator  name in the API */
#define HOUSE_STATES(X)                                                                  \
    X(JUDGING, "judging")                                                                \
    X(DONE, "done")                                                                      \
    X(CANCELLED, "cancelled")

enum house_state {
#define X(name, text) HOUSE_##name,
    HOUSE_STATES(X)
#undef X
};

const char *house_state_name(enum house_state state);

/* What became of a solution, or of a problem that has none to judge. */
enum house_fate {
    HOUSE_WAITS,
    HOUSE_BEGUN,
    HOUSE_MARKED,  /* it was judged, and has a mark */
    HOUSE_KEPT,    /* it had its mark before */
    HOUSE_SKIPPED, /* it cannot be judged on this board: `why` */
    HOUSE_FAILED,  /* it should be accepted, but is not: `why` */
};

struct house_step {
    char *problem;
    char *filename; /* NULL: the problem has none to judge */
    enum house_fate fate;
    char *source;    /* HOUSE_BEGUN: what is judged */
    char sha256[65]; /* of the source */
    char *why;       /* a sentence, of which the file is the subject */
};

struct house_run {
    int64_t number; /* 1 is the first of this daemon */
    enum house_state state;
    char *board;
    char **slug; /* of the problems, of which `looked` were looked at */
    size_t slug_count, looked;
    struct house_step *step;
    size_t step_count;
    char *message;              /* why it was cancelled; else NULL */
    int64_t begun_ms, ended_ms; /* ended_ms: 0 while it is under way */
};

struct house *house_new(struct daemon *d);
void house_free(struct house *all);

/* Begins a run for a board that a device here has. The slugs belong to it from then on.
 * None may be under way. */
void house_begin(struct daemon *d, const char *board, char **slugs, size_t count);

/* The last run, or NULL. */
const struct house_run *house_last(const struct house *all);
bool house_is_under_way(const struct house *all);

/* How many steps of a run have this fate. */
size_t house_count(const struct house_run *run, enum house_fate fate);

/* Ends the run that is under way, if any. The marks that it has made stay. */
void house_cancel(struct daemon *d, const char *message);

/* For idle.c; idle.h says what they do. */
bool house_next(struct daemon *d, const char *device, struct idle_work *out);
void house_check_devices(struct daemon *d);
int house_take(struct daemon *d, int64_t run, int64_t id,
               const struct finished_submission *finished, struct report *r);

/* --- for house.c alone: house_look.c ------------------------------------- */

/* Adds the steps of a problem to the run, each with its fate by what is there now. Marks
 * on the board that no step has are taken off. -1 where the store fails. */
int house_look(struct daemon *d, struct house_run *run, const char *slug,
               struct report *r);

#endif
