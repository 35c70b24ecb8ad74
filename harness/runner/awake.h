/* Waiting without sleep: what the runner and the arbiter do between two looks. The
 * process that is waited for may run on the CPU's other hardware thread, so the wait
 * must leave it the core. It makes some pauses, and now and then yields the CPU to
 * another process. */
#ifndef RUNNER_AWAKE_H
#define RUNNER_AWAKE_H

#include <sched.h>
#include <sys/resource.h>

#define AWAKE_PAUSES                                                                     \
    16                 /* half a microsecond or so, by which a look is late on average   \
                        */
#define AWAKE_LOOKS 64 /* between two yields */

/* How often this thread has lost its CPU to another one since it began. A thread that
 * never sleeps loses it only if something else wants to run there. Only differences
 * between two calls mean anything. */
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
        (void)sched_yield(); /* cannot fail on Linux */
}

#endif
