/* What the files of this folder share: the whole state of the pilots' engine. */
#ifndef DAEMON_SLURM_STATE_H
#define DAEMON_SLURM_STATE_H

#include "base/buf.h"
#include "base/report.h"
#include "daemon/slurm/answer.h"
#include "daemon/slurm/command.h"
#include "daemon/slurm/pilots.h"
#include "daemon/slurm/plan.h"
#include "daemon/slurm/script.h"
#include "daemon/slurm/settings.h"

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct event;

#define SLURM_EVENTS 16    /* how many of the last events are told */
#define SLURM_BAD_NODES 16 /* how many nodes are left out at a time */
#define SLURM_TOKENS 32
#define SLURM_LOGS_KEPT 32 /* of pilots that have failed */
#define SLURM_LATE 32      /* pilots of which Slurm does not say yet how they ended */

enum slurm_step {
    STEP_NONE, /* no command runs */
    STEP_LOOK,
    STEP_EXPLAIN, /* scontrol */
    STEP_RECALL,  /* sacct */
    STEP_START,
    STEP_CANCEL
};

struct slurm_group_state {
    int failures; /* pilots that have failed, or were refused, one after another */
    uint64_t held_until_ns;
    struct report trouble; /* why there are fewer pilots than there should be */
    int to_start;
};

struct slurm_event {
    int64_t at_ms;
    char *text;
};

struct slurm_token {
    int64_t id;
    int64_t made_ms;
};

struct slurm {
    struct daemon *daemon;
    const struct slurm_settings *settings;
    char id[9];          /* of this judge, in the names of its jobs */
    char *folder;        /* SHARED/warpjudge-ID: scripts, tokens, the pilots' output */
    char *program;       /* of nodes */
    struct event *timer; /* each second */
    struct slurm_command command;
    enum slurm_step step;
    bool swept;   /* logs_sweep() was called */
    bool planned; /* since the last look */
    bool stopping;
    size_t waiting[SLURM_GROUPS_MAX]; /* submissions for each group, a second ago */
    uint64_t looked_ns;               /* when the last look began; 0: never */
    uint64_t next_ns;                 /* when the next one is due */
    int failures;                     /* of squeue, one after another */
    struct report trouble;
    struct pilots pilots;
    struct pilot gone; /* which is being explained */
    bool explained;
    struct pilot late[SLURM_LATE]; /* which are explained later, the oldest first */
    int late_count;
    enum pilot_fate fate;
    int64_t started; /* what sbatch has printed */
    int starting;    /* the group that it is of */
    struct slurm_group_state group[SLURM_GROUPS_MAX];
    struct {
        char node[SLURM_WORD_MAX];
        uint64_t until_ns;
    } bad[SLURM_BAD_NODES];
    struct slurm_event event[SLURM_EVENTS]; /* the newest is the last */
    int event_count;
    struct slurm_token token[SLURM_TOKENS]; /* of this judge's pilots, not revoked */
    int token_count;
    bool tokens_known; /* those of before this start are in the list */
    int64_t current;   /* the token that new pilots get; 0: none */
    int64_t kept_log[SLURM_LOGS_KEPT];
    int kept_count;
};

/* Says something in the log and, as one of the last events, in `status`. */
void slurm_say(struct slurm *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- tokens.c ----------------------------------------------------------- */

/* There is a token for new pilots, and each group's script names its file. */
int tokens_ready(struct slurm *s, struct report *r);

/* Revokes those that no pilot has, and that none will be given: where `idle`, the current
 * one, too. */
void tokens_prune(struct slurm *s, bool idle);

char *script_path(const struct slurm *s, int group);

/* --- logs.c ------------------------------------------------------------- */

void log_remove(const struct slurm *s, int64_t job);

/* Keeps the output of a pilot that has failed, of the last SLURM_LOGS_KEPT. */
void log_keep(struct slurm *s, int64_t job);

/* Removes what pilots of earlier starts have left. */
void logs_sweep(const struct slurm *s);

/* --- late.c ------------------------------------------------------------- */

/* Keeps the pilot, of which Slurm does not say how it ended, to be asked for again after
 * the next look. False where it is too late for that. Where too many are kept, *dropped
 * is the oldest, which is not kept any more; its id is 0 where there is none. */
bool late_keep(struct slurm *s, struct pilot p, struct pilot *dropped);

/* Takes one of those kept that was not asked for since the last look. */
bool late_take(struct slurm *s, struct pilot *out);

/* --- nodes.c ------------------------------------------------------------ */

/* For a while no pilot is started on the node. */
void nodes_leave_out(struct slurm *s, const char *node);

/* Adds those that are left out now, with commas between. */
void nodes_left_out(const struct slurm *s, struct buf *out);

/* --- demand.c ----------------------------------------------------------- */

/* Counts what waits for workers of each group's board, in s->waiting. */
void slurm_count_waiting(struct slurm *s);

struct slurm_plan slurm_plan_of(const struct slurm *s, int group);

#endif
