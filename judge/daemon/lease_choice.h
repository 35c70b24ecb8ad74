/*
 * Which worker an attempt is leased to. A worker of the same board is as good as the
 * device, so that whichever is free takes the next attempt in the fair order.
 *
 * Where workers are there that only compile, and whose artefacts fit a worker of the
 * board, these get each attempt first. The board's workers then get only what is
 * compiled, so that no GPU waits for nvcc. Three kinds are compiled where they are
 * judged.
 *
 * - Problems may allow a linked library of the toolkit, such as cuBLAS. A program loads
 *   it from the folder that its compiler had.
 *
 * - An attempt may follow one that has come to nothing. That one's compiler has no part
 *   in it.
 *
 * - Those who compile may be stuck, or all of them rest. A worker that holds what it
 *   compiles, or gives it back, then holds up nothing else.
 */
#ifndef DAEMON_LEASE_CHOICE_H
#define DAEMON_LEASE_CHOICE_H

#include <stdbool.h>

struct attempt;
struct problem;
struct worker;

/* Notes whether the attempt needs two GPUs (needs_two), as its problem is now, and what
 * follows from that while it is QUEUED. `p` is NULL where the problem cannot be read. */
void lease_note_gpus(struct attempt *a, const struct problem *p);

/* Notes whether only a worker with two GPUs can judge it (for_pair), as the devices and
 * the workers are now. */
void lease_note_pair(struct attempt *a);

/* Why an attempt that only a worker can judge waits though its turn may have come, in a
 * sentence without its end. NULL where nothing but others is in its way. The caller
 * frees. */
char *lease_why_waits(const struct attempt *a);

/* Takes the worker that gets the attempt from those that wait, or returns NULL. While its
 * problem is being packed (archives.h) no worker gets it. worker_grant() must follow. */
struct worker *lease_choose(struct attempt *a);

/* Is the attempt READY, and no worker is there that could judge what was compiled? */
bool lease_fits_nobody(struct attempt *a);

/* Is it compiled, or being compiled, for a worker to judge? Such attempts are in no
 * device's line. */
bool lease_is_ahead(const struct attempt *a);

/* Does a worker judge what was compiled? */
bool lease_is_judged(const struct attempt *a);

#endif
