/* Waiting without sleep, in the runner and in the arbiter: what both do between two
 * looks. The CPU's other hardware thread may be the very process that is waited for, so
 * the wait must leave it the core: some pauses, and now and then the whole CPU for
 * whoever needs it on a busy machine. */
#ifndef RUNNER_AWAKE_H
#define RUNNER_AWAKE_H

#include <sched.h>
#include <sys/resource.h>

#define AWAKE_PAUSES                                                                     \
    16                 /* half a microsecond or so: what a look is late on the average   \
                        */
#define AWAKE_LOOKS 64 /* between two yields */

/* How often this thread has lost its CPU to another one since it began: who never sleeps
 * does only where something else wants to run there. Only differences mean anything. */
static inline long
awake_preemptions(void)
{
    struct rusage use;

    return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nivcsw : 0;
}

static inline void
awake_wait(unsigned look)
{
    for (int i = 0; i < AWAKE_PAUSES; i++)
#if defined __x86_64__
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
    if (look % AWAKE_LOOKS == AWAKE_LOOKS - 1)
        (void)sched_yield(); /* does not fail on Linux */
}

#endif
