/* How many compilers are at work. Several may want the reference of one problem: one of
 * them makes it, and the others wait for that (compile/cache.h). Private to queue.c. */
#ifndef DAEMON_COMPILER_SLOTS_H
#define DAEMON_COMPILER_SLOTS_H

struct attempt;

/* Counts the compilers of these attempts, which next_begun connects. One that only waits
 * does not count. On emu at most so many do not as there are slots, because ptxas works
 * on all of these as soon as the reference is there. `first` may be NULL. */
int compiler_slots_used(const struct attempt *first, int slots);

#endif
