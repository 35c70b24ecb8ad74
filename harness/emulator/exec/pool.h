/*
 * The threads of a machine (pool.c). The machine owns its pool, which it makes at the
 * first launch that is large enough, and ends at its own end.
 */
#ifndef EMULATOR_POOL_H
#define EMULATOR_POOL_H

struct machine;
struct pool;

/* Starts threads for the machine's workers but the first: fewer where the host gives
 * fewer. NULL: the host has no memory. */
struct pool *pool_new(struct machine *m);
int pool_threads(const struct pool *p);

/* Lets each thread execute its worker's share of the launch; pool_wait() returns when all
 * have done so. */
void pool_start(struct pool *p);
void pool_wait(struct pool *p);

/* Ends the threads. NULL is allowed. */
void pool_free(struct pool *p);

#endif
