/* How long a submission may keep a device, in multiples of the problem's limits.time_ms,
 * which is the budget of one call. arbiter/judging/budget.h says what that time is. */
#ifndef PROBLEM_BUDGET_H
#define PROBLEM_BUDGET_H

/* The budget of all calls together, in budgets of one call. On emu a judgement has its
 * tests, four calls of the largest size, and more of these where they are cheap
 * (arbiter/measuring/timing_policy.h). A slow submission has 19 calls on a GPU
 * (arbiter/measuring/timing.c), so that each may take six tenths of its own budget.
 * docs/timing.md says what solutions use. */
#define BUDGET_CALLS_EMU 4
#define BUDGET_CALLS_GPU 12

/* The backstop by the wall clock, in multiples of a limit in used time. A program that
 * reaches it gets next to no CPU time, which is our failure. Six busy loops for each CPU
 * leave a seventh of each CPU. */
#define BUDGET_WALL_FACTOR 100

#endif
