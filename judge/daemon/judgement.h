/* One submission on its way: private to queue.c (who is next) and judgement.c (one
 * attempt). */
#ifndef DAEMON_JUDGEMENT_H
#define DAEMON_JUDGEMENT_H

#include "core/job.h"
#include "daemon/child.h"
#include "daemon/daemon.h"
#include "daemon/queue.h"

enum phase { QUEUED, COMPILING, READY, RUNNING, UNSAVED, DRAINING };

struct judgement {
    struct judgement *next; /* younger */
    struct queue *queue;
    struct line *line; /* its device's; queue.c's, as `ahead` is */
    int ahead;         /* how many of its line come before it and do not run yet */
    struct daemon *daemon;
    int64_t id;
    char *problem, *device, *filename;
    char *partner; /* the second card of a problem for two, chosen by judgement_compile;
                      NULL: none */
    bool sample_tests_only;
    int attempt;
    enum phase phase;

    /* This attempt's. */
    char *folder;
    struct child *compiler, *arbiter; /* NULL: not running */
    bool reference_ready;             /* the arbiter is told, or will be as it starts */
    bool prepared_early;  /* it was started once before the compiler had ended,
                             or before its turn */
    bool prepares_ahead;  /* the arbiter was started before its turn */
    bool leaving;         /* the arbiter was told to stop preparing */
    bool room;            /* RUNNING: the next may be prepared beside it */
    bool follows_closely; /* RUNNING: the arbiter of the one before was not gone yet */
    bool said_result;     /* the arbiter has judged, and only has to leave */
    bool again;           /* DRAINING: another attempt follows */
    struct compile_result compiled;
    struct result result; /* UNSAVED: what is to be recorded */

    char *last_event;
    int told_position;
};

struct judgement *judgement_new(struct queue *q, struct daemon *d, int64_t id);
void judgement_free(struct judgement *j);

/* QUEUED -> COMPILING, or UNSAVED where it cannot be judged. -1: the machine is in
 * trouble, nothing has changed, try again later. */
int judgement_compile(struct judgement *j, struct report *r);

/* Starts the arbiter, which prepares: COMPILING or READY stays. ahead: while another is
 * judged on its device. -1 as above. */
int judgement_start_arbiter(struct judgement *j, bool ahead, struct report *r);

/* READY, with an arbiter -> RUNNING. follows_closely: that of another one has judged on
 * its device, but is not gone yet. */
void judgement_go(struct judgement *j, bool follows_closely);

/* The arbiter is to leave without having judged: it makes room for another. */
void judgement_stop_preparing(struct judgement *j);

/* Judged and recorded, for good: only its arbiter is not gone yet, which has said so.
 * One that was killed, or never judged, must be gone before it is thought to leave. */
bool judgement_is_leaving(const struct judgement *j);

/* UNSAVED -> DRAINING. -1: the store cannot be written, try again later. */
int judgement_save(struct judgement *j, struct report *r);

/* Decides without running anything: -> UNSAVED with a judge_error. */
void judgement_give_up(struct judgement *j, const char *why);

/* DRAINING and no process left: removes the folder; true if another attempt follows (it
 * is QUEUED then), false if j can be freed. */
bool judgement_drained(struct judgement *j);

/* Tells the watchers and keeps the event for late ones. */
void judgement_tell(struct judgement *j, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
