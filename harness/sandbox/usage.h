/*
 * Measures what programs in sandboxes use of a host that others use as well. There are
 * two figures, and neither grows while a program waits for a CPU:
 *
 *    - CPU time is that of all threads, dead ones too. Each process's own clock has
 *      it, to the nanosecond.
 *    - Sleep is the time in which all threads of all watched processes slept. It is
 *      sampled.
 *
 * A reading (usage_look) finds the processes asleep if every thread sleeps. Threads are
 * read one after the other, so that two which wake each other in turns may both be found
 * asleep. The one that has just woken books its waiting in the next interval then. A
 * reading in which we lost our own CPU finds nobody asleep.
 *
 * An interval is sleep if the readings at both ends found the processes asleep:
 *
 *    - If no CPU time passed in it, all of it was sleep, however long it is. Nobody
 *      ran, and a thread that woke would still be runnable at its end.
 *    - If CPU time passed, that time was no sleep, nor was what threads waited for a
 *      CPU (run_delay in /proc/PID/task/TID/schedstat). At most USAGE_STEP_NS of such
 *      an interval counts, since a look that comes late says little.
 *
 * Sleep can be counted too low. A program that is runnable at a look makes the intervals
 * on both sides of it no sleep. But it cannot know when looks come, because their
 * distance varies. If it is runnable for a share d of the time, it pays d of CPU time,
 * and some (1-d)^3 of sleep: never less than 0.61 of the time together. The rest of the
 * interval in which a wait ends is lost, too.
 *
 * Sleep can be counted too high by one interval: a thread that began and ended within it
 * takes along how long it had waited for a CPU. A kernel without schedstat
 * (CONFIG_SCHED_INFO) tells of no waiting, so that it counts in intervals with CPU time.
 *
 * A thread in an uninterruptible wait (state D: the disk, a driver, a lock of the
 * kernel's) neither sleeps nor runs. Such time is counted by itself, as blocked.
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
