/*
 * Which worker an attempt is leased to. A worker of the same board is as good as the
 * device, so that whichever is free takes the next attempt in the fair order.
 *
 * Where workers are there that only compile, and whose artefacts fit a worker of the
 * board, these get each attempt first. The board's workers then get only what is
 * compiled, so that no GPU waits for nvcc. There are three exceptions, which are compiled
 * where they are judged:
 *
 * - problems that allow a linked library of the toolkit, such as cuBLAS, which a program
 *   loads from the folder that its compiler had;
 * - attempts after a first one that has failed, so that whoever compiled that has no part
 *   in the next;
 * - attempts that wait while those who compile are stuck, so that a worker that holds
 * what it compiles holds up nothing else.
 */
#ifndef DAEMON_LEASE_CHOICE_H
#define DAEMON_LEASE_CHOICE_H

#include <stdbool.h>

struct attempt;
struct worker;

/* Takes the worker that gets the attempt from those that wait, or returns NULL.
 * worker_grant() must follow. */
struct worker *lease_choose(struct attempt *a);

/* Is the attempt READY, and no worker is there that could judge what was compiled? */
bool lease_fits_nobody(struct attempt *a);

/* Is it compiled, or being compiled, for a worker to judge? Such attempts are in no
 * device's line. */
bool lease_is_ahead(const struct attempt *a);

/* Does a worker judge what was compiled? */
bool lease_is_judged(const struct attempt *a);

#endif
