/* One submission on its way, in its current attempt. Private to queue.c, which decides
 * who is next, and the attempt*.c, which carry out one attempt. */
#ifndef DAEMON_ATTEMPT_H
#define DAEMON_ATTEMPT_H

#include "base/buf.h"
#include "daemon/child.h"
#include "daemon/daemon.h"
#include "daemon/idle.h"
#include "daemon/queue.h"
#include "daemon/told.h"
#include "daemon/worker_request.h"
#include "problem/meaning.h"
#include "record/artefact.h"
#include "record/job.h"

enum phase { QUEUED, COMPILING, READY, RUNNING, READING, UNSAVED, DRAINING };

struct attempt;
struct read_result;
struct result_task;

/* Where an attempt is carried out: by programs of this machine, or by a worker
 * (attempt_lease.h). It goes through the same phases. */
struct attempt_place {
    int attempts_max; /* how often a submission is attempted */
    /* Ends what works on the attempt, at once. */
    void (*kill)(struct attempt *a);
    /* The same where nobody else may be disturbed. `before` is the attempt's phase before
     * it was DRAINING. */
    void (*stop)(struct attempt *a, enum phase before);
    /* The attempt has failed through no fault of the user's, and its work goes on. */
    void (*failed)(struct attempt *a, const char *why);
};

extern const struct attempt_place attempt_here, attempt_on_worker;

struct attempt {
    /* What a step of the queue looks at of thousands stands together. */
    struct attempt *next;       /* the next younger submission */
    struct attempt *next_begun; /* the next that is not QUEUED */
    struct line *line;          /* of its device */
    struct person *person;      /* who submitted it */
    double cost_ms;             /* what such a one has used lately */
    double wait_ms;             /* until it begins, as far as the costs tell */
    uint64_t go_ns;  /* RUNNING: when it began; 0: it has not, or its use is counted */
    uint64_t own_ns; /* RUNNING: since when its device is its own alone; 0: the arbiter
                        that it follows is not gone yet */
    int ahead;       /* how many of its line come before it and do not run yet */
    enum phase phase;
    enum idle_kind idle; /* IDLE_NOT: it is a new submission */
    struct lease *lease; /* of the worker that carries it out; NULL: none does */

    struct queue *queue;
    struct daemon *daemon;
    int64_t id;
    int64_t idle_run; /* the number of the run that it belongs to */
    char *problem, *device, *filename;
    char *source;   /* what is judged; NULL: the store has it */
    char *label;    /* what logs call it: "submission 7" */
    char *partner;  /* the second GPU of a problem for two, which attempt_compile()
                       chooses; NULL: none */
    bool needs_two; /* its problem needs two GPUs, as the queue has last seen it */
    bool for_pair;  /* it needs two GPUs, and this machine has one of the board: only a
                       worker with two can judge it (lease_choice.h) */
    bool sample_tests_only; /* it never ranks; attempt_has_samples_only() says more */
    enum profile profile;
    int64_t created_ms; /* when it was submitted */
    int watchers;       /* how many streams show it alone, and are told its position */
    int number;         /* of the attempt: 1, or 2 after a failure of ours */
    int uncounted;      /* attempts before that do not count: one that was spared, and
                           those whose failure could not be stored */
    bool spared;        /* a failed attempt did not count (lease_is_spared()) */
    bool next_stored;   /* that the next attempt follows is stored already */
    const struct attempt_place *place;
    char *node, *driver; /* of the worker that has judged it; NULL: none has */
    bool insecure;       /* that worker judges without a sandbox */
    struct buf history;  /* what became of earlier attempts on workers, for people */

    /* What follows belongs to this attempt, and begins anew with the next one. */
    char *folder;
    char meaning[MEANING_BYTES];      /* of the problem when it began; "": not known */
    struct child *compiler, *arbiter; /* NULL: not running */
    uint64_t fence; /* of an arbiter that stays, in its lines; 0: it judges this alone */
    bool reference_ready; /* the arbiter knows, or is told when it starts */
    bool submission_made; /* the compiler has nothing left to do but the reference, until
                             that is ready */
    bool assembled;      /* the compiler has ended well; the arbiter knows once it runs */
    bool prepared_early; /* an arbiter was started before the compiler had ended, or
                            before the submission's turn */
    bool prepares_ahead; /* the arbiter was started before the submission's turn */
    bool unheard;        /* the arbiter was idle, and has said nothing since: it may have
                            ended before it was given the folder */
    bool leaving;        /* the arbiter was told to end, and does not judge */
    bool dropped; /* the arbiter was told to drop the attempt, and may be idle then */
    uint64_t timing_ns;   /* RUNNING: when its timed calls began; 0: they have not */
    bool has_capacity;    /* RUNNING: the next submission may prepare beside this one */
    uint64_t measured_ns; /* when its device was the next one's; 0: it is not yet */
    bool said_result;     /* the arbiter has judged, and only has to leave */
    bool being_read;      /* a thread reads what came of it */
    size_t unread_bytes;  /* of a worker's result, while a thread has it */
    enum worker_role unread_role; /* that of the worker */
    bool again;                   /* DRAINING: another attempt follows */
    struct compile_result compiled;
    /* The name of the pool of the worker that only compiles and has compiled it. Its
     * artefact is in the folder, and a worker judges it. NULL: there is no artefact. */
    char *artefact_pool;
    int64_t artefact_token; /* of that worker */
    bool artefact_void;     /* that token is not good any more (worker_tokens.h) */
    char artefact_hash[ARTEFACT_HASH_BYTES];
    size_t artefact_bytes;    /* of its text */
    uint64_t artefact_looked; /* workers_generation() when its judges were looked for */
    struct result result;     /* UNSAVED: what is to be recorded */
    double used_ms;           /* READING, UNSAVED: attempt_use_ms() at its end */

    char *last_event; /* what a late watcher is told first */
    /* What was told last (told.h): of which attempt, which state, and which position in
     * the queue, as an event and as a line. */
    int told_attempt;
    enum told told;
    int told_position, line_position;
    char *line_reason; /* why it waits, as the last line of its place has told; or NULL */
};

/* `idle` is NULL for a new submission. */
struct attempt *attempt_new(struct queue *q, struct daemon *d, int64_t id,
                            const struct idle_work *idle);
void attempt_free(struct attempt *a);

/* Is it judged by the sample tests alone, without a time? */
static inline bool
attempt_has_samples_only(const struct attempt *a)
{
    return a->sample_tests_only && a->profile != PROFILE_GRADE;
}

/* From QUEUED to COMPILING, or to UNSAVED where it cannot be judged. -1 where the machine
 * is in trouble: nothing has changed, and the caller tries again later. */
int attempt_compile(struct attempt *a, struct report *r);

/* Starts the arbiter, which prepares. The phase stays COMPILING or READY. ahead: another
 * submission is judged on the device meanwhile. -1 as above. */
int attempt_start_arbiter(struct attempt *a, bool ahead, struct report *r);

/* Says one of the words of record/job.h to the arbiter. */
void attempt_say(struct attempt *a, const char *word);

/* From READY, with an arbiter, to RUNNING. follows: the arbiter before is not gone yet.
 */
void attempt_go(struct attempt *a, bool follows);

/* Tells the arbiter to end without having judged, because another needs the device. */
void attempt_stop_preparing(struct attempt *a);

/* Tells the arbiter that the attempt, which it prepares, is not wanted any more. One that
 * stays may judge another then. */
void attempt_drop_preparation(struct attempt *a);

/* Has it been measured, so that the next may begin on its device? Or is it judged and
 * recorded, and only its arbiter is not gone yet? The arbiter must have said so itself.
 * One that was killed, or never judged, does not count as leaving. */
bool attempt_is_leaving(const struct attempt *a);

/* From UNSAVED to DRAINING. -1 where the store cannot be written; the caller tries again
 * later. */
int attempt_save(struct attempt *a, struct report *r);

/* The first of all submissions in the fair order. */
struct attempt *queue_first(const struct queue *q);

/* Was the daemon started so lately that workers of before may still register again? */
bool queue_awaits_workers(const struct queue *q);

/* Leases nothing for a while, because this machine has failed at it (lease_pause.h). */
void queue_pause_leases(struct queue *q, const struct report *why);

/* The new submission of this number in the queue, or NULL. It may be recorded already. */
struct attempt *queue_attempt(const struct queue *q, int64_t id);

/* Is it recorded, and only its processes are not gone yet? */
bool attempt_is_recorded(const struct attempt *a);

/* Records the verdict cancelled with this message, and ends the processes. -1 where the
 * store cannot be written: then nothing has changed. It must not be recorded yet. */
int attempt_cancel(struct attempt *a, const char *message, struct report *r);

/* Ends one that is judged in idle time, and its processes. Nothing comes of it. */
void attempt_drop(struct attempt *a);

/* To UNSAVED with this result, which belongs to the attempt from then on. */
void attempt_is_judged(struct attempt *a, struct result result);

/* Ends the attempt after a failure of ours. Another follows, or it is given up. */
void attempt_failed(struct attempt *a, const char *why);

/* To DRAINING, and from there to QUEUED: another attempt follows, from scratch. */
void attempt_has_another(struct attempt *a);

/* As attempt_failed() where one of its programs has ended by a signal, or with another
 * status than 0. */
void attempt_ended_badly(struct attempt *a, const char *program,
                         const struct child_end *end);

/* To READING. The task says what is read, but not who is told of it. */
void attempt_read_result(struct attempt *a, struct result_task task);

/* Gives back the memory of a worker's result, which no thread has any more. */
void attempt_give_memory(struct attempt *a);

/* From READING to UNSAVED with the result, which is moved from, or to another attempt. */
void attempt_take_result(struct attempt *a, struct read_result *read);

/* To UNSAVED with what the compiler says of it, which is not that it is right. */
void attempt_not_compiled(struct attempt *a);

/* Judges one that compiles, if that was all that was asked for. */
bool attempt_judge_compiled(struct attempt *a);

/* From READY, with an artefact that no worker can judge any more, to QUEUED. It is no
 * attempt the less. */
void attempt_compile_anew(struct attempt *a);

/* To UNSAVED with a judge_error, without running anything. */
void attempt_give_up(struct attempt *a, const char *why);

/* Ends an attempt that is DRAINING and has no process left, and removes its folder. Does
 * another attempt follow? Then it is QUEUED; otherwise `a` can be freed. */
bool attempt_drained(struct attempt *a);

/* What is left of the time that it is expected to hold its device for, in ms. */
double attempt_left_ms(const struct attempt *a, uint64_t now_ns);

/* In how many seconds it is expected to begin. */
int attempt_estimate_s(const struct attempt *a);

/* For how long it has had its device to itself, until now_ns. It has it from its "go", or
 * from when the arbiter that it follows has given it back. */
double attempt_use_ms(const struct attempt *a, uint64_t now_ns);

/* Makes the job folder of the next attempt, a->folder, with the source in it. -1: the
 * machine is in trouble; attempt_remove_folder then removes what there is. */
int attempt_make_folder(struct attempt *a, const struct buf *source, struct report *r);

/* The same without anything in it, for a worker's artefact. */
int attempt_make_empty_folder(struct attempt *a, struct report *r);

/* Notes what the problem is as the attempt begins. */
void attempt_note_meaning(struct attempt *a);

/* Reads what is judged, and the case of its user's own that it is judged with: NULL where
 * there is none. The caller frees both. */
int attempt_read_source(const struct attempt *a, bool *found, struct buf *out,
                        struct report *r);
int attempt_read_own_case(const struct attempt *a, char **out, struct report *r);
int attempt_read_seed(const struct attempt *a, char **out, struct report *r);

/* The board of the attempt's device. */
const char *attempt_board(const struct attempt *a);

/* Has the folder removed, if there is one. */
void attempt_remove_folder(struct attempt *a);

/* Sends a line to the watchers (streams.h), and keeps it for late ones. */
void attempt_tell(struct attempt *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
