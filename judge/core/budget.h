/* How long a submission may keep a device, in multiples of the problem's limits.time_ms,
 * which is one call's budget. What the time is, arbiter/budget.h says. */
#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H

/* All calls together. A judgement has four calls of the largest size on emu, and its
 * tests; of a slow program on a GPU there are 19 (arbiter/timing.c), so that each may
 * take six tenths of its own budget. docs/timing.md has what solutions use. */
#define BUDGET_CALLS_EMU 4
#define BUDGET_CALLS_GPU 12

/* Where a limit in used time is not reached in as many times that by the wall clock, the
 * machine gives the program next to no CPU time: that is our failure. Six busy loops for
 * each CPU leave it a seventh of each. */
#define BUDGET_WALL_FACTOR 100

#endif
