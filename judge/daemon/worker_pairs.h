/*
 * Problems for two GPUs on workers. The devices of one worker program are siblings. Two
 * of the same board can judge such a problem together: one has the lease, and the other
 * is its partner, which gets no work meanwhile.
 *
 * Both must be free. While only one is, it is kept for the oldest that waits for two, so
 * that nothing younger takes it, as on the judge's own machine (queue.h). Of several that
 * could be kept it is always the one that has registered first.
 */
#ifndef DAEMON_WORKER_PAIRS_H
#define DAEMON_WORKER_PAIRS_H

#include <stdbool.h>

struct worker;
struct worker_board;
struct workers;

/* Makes a new worker the sibling of those in the list that belong to its program. */
void worker_meet(struct worker *w, struct worker *list);

/* Before the worker is freed. What it judges has been given up; what its holder judges
 * goes on. */
void worker_leave_siblings(struct worker *w);

/* May a worker that waits get work? */
bool worker_is_free(const struct worker *w);

/* Has it a sibling, and do both get work? */
bool worker_is_of_pair(const struct worker *w);

/* Why the worker's program judges no problem for two GPUs, in a sentence without its end.
 * It is so where the worker gets no work, and no two of its siblings are left. NULL where
 * it is not so. The caller frees. */
char *worker_why_no_pair(const struct worker *w);

/* The same of a board, whose problems for two GPUs wait: NULL where two of its workers
 * may judge them. */
char *workers_why_no_pair(const struct workers *all, const struct worker_board *b);

/* A step of the queue begins: none of the board's is kept. */
void worker_board_unkeep(struct worker_board *b);

/* As worker_board_take(), with a partner. Where there is none it may keep one. */
struct worker *worker_board_take_pair(struct worker_board *b,
                                      bool (*fits)(const struct worker *w,
                                                   const void *arg),
                                      const void *arg);

/* The worker's partner is free again, if it has one. */
void worker_part(struct worker *w);

#endif
