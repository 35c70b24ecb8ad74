/*
 * What programs in sandboxes use of a host that others use as well. Two figures, neither
 * of which grows while a program waits for a CPU:
 *
 *   CPU time   of all threads, dead ones too, by each process's own clock: exact.
 *   sleep      the time in which all threads of all watched processes slept.
 *
 * Sleep is sampled: a reading (usage_look) tells whether every thread sleeps. It is
 * asleep only if no CPU time passed while the threads' states were read: a thread that
 * goes to sleep has run, so that two which wake each other in turns are never taken for
 * sleepers. Between two such readings
 *
 *   without CPU time     all of it was sleep, however long it is: nobody ran, and who
 * woke would still be runnable. That is exact. with CPU time        it was sleep but for
 * that time and for what threads waited for a CPU (run_delay in
 * /proc/PID/task/TID/schedstat), and no more of it than USAGE_STEP_NS: a look that comes
 * late says little.
 *
 * All other intervals are no sleep. So the errors are these. Too little: who is runnable
 * at a look is not asleep in the intervals on both sides of it, but a program cannot know
 * when looks come (their distance varies), so that being runnable in a share d of the
 * time costs it at least d + (1-d)^3 of it, never below 0.61. The rest of an interval at
 * the end of a wait is lost. Too much: the waiting of a thread that began and ended
 * between two looks, for one interval; without schedstat (a kernel without
 * CONFIG_SCHED_INFO) all waiting in intervals of the second kind.
 *
 * A thread in an uninterruptible wait (state D: the disk, a driver, a lock of the
 * kernel's) neither sleeps nor runs: that time is counted by itself, as blocked.
 */
#ifndef SANDBOX_USAGE_H
#define SANDBOX_USAGE_H

#include "sandbox/sandbox.h"

#include <stdbool.h>
#include <stdint.h>

#define USAGE_STEP_NS UINT64_C(20000000) /* looks should come closer than that */
#define USAGE_PROCESSES_MAX 2

/* --- pure: from readings to sleep ------------------------------------------- */

enum usage_state {
    USAGE_ASLEEP,
    USAGE_BLOCKED,  /* asleep, but for threads in an uninterruptible wait */
    USAGE_RUNNABLE, /* some thread runs or waits for a CPU, or that is not known */
};

struct usage_thread {
    int id;
    uint64_t delay_ns; /* that it has waited for a CPU, since it began */
};

struct usage_reading {
    uint64_t at_ns;  /* CLOCK_MONOTONIC */
    uint64_t cpu_ns; /* of all processes since they began */
    enum usage_state state;
    struct usage_thread *thread; /* those alive, unless RUNNABLE; malloc */
    int threads;
};

struct usage_account {
    uint64_t slept_ns, blocked_ns;
    struct usage_reading last;
    bool has_last;
};

/* Books the interval since the last reading, which this one replaces; its threads are
 * the account's from here on. */
void usage_account_add(struct usage_account *a, const struct usage_reading *now);

/* What comes before the next reading is nobody's. Frees what the account owns. */
void usage_account_pause(struct usage_account *a);

/* --- looking ----------------------------------------------------------------- */

struct usage {
    struct sandbox_process *process[USAGE_PROCESSES_MAX]; /* borrowed; NULL: none */
    uint64_t cpu_ns[USAGE_PROCESSES_MAX];                 /* as of the last question */
    struct usage_account account;
};

/* CPU time that the program of process[i] has had since it began. One that has ended, or
 * is not there yet, has what was last seen. */
uint64_t usage_cpu_ns(struct usage *u, int i);

/* One reading. To be asked at intervals of about half USAGE_STEP_NS that nobody can
 * foresee (usage_next_ns) while what is slept counts. */
void usage_look(struct usage *u);

/* When the next look is due. */
uint64_t usage_next_ns(uint64_t now_ns);

#endif
