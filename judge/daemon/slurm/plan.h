/*
 * How many pilots are started or cancelled: a decision that depends on numbers alone.
 *
 * For each SLURM_SUBMISSIONS_PER_PILOT submissions that wait there is one pilot, up to
 * the group's limit. A pilot that runs is never cancelled while the daemon goes on: it
 * leaves by itself when it is idle or near its time limit. One that waits in Slurm's
 * queue is cancelled when no submission waits any more, or when the daemon stops.
 */
#ifndef DAEMON_SLURM_PLAN_H
#define DAEMON_SLURM_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/* A judgement takes about a second, and so does the start of a job. */
#define SLURM_SUBMISSIONS_PER_PILOT 4
/* How many are started in one step, so that slurmctld has others to serve in between. */
#define SLURM_STARTS_AT_ONCE 10

struct slurm_facts {
    size_t waiting; /* submissions of the group's device that nobody judges */
    int pending;    /* the group's pilots that wait in Slurm's queue */
    int running;    /* and those that have begun */
    int limit;      /* the most that the group may have */
    bool held;      /* after a failure none is started */
    bool stopping;  /* the daemon drains */
};

struct slurm_plan {
    int start;
    int cancel; /* of those that wait in Slurm's queue */
};

struct slurm_plan slurm_plan_make(const struct slurm_facts *f);

#endif
