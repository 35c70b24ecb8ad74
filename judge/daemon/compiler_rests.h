/*
 * Which workers that only compile get nothing for a while, since nothing comes of what
 * they get. What they give back costs a submission no attempt (attempt_lease.h), but its
 * user waits for it.
 *
 * A node's workers rest once the node has given back three submissions more than it has
 * had workers, and has compiled none meanwhile. They rest for a minute, and for twice as
 * long each time that it goes on so, up to an hour.
 *
 * A node's name is a worker's own word. So all workers of a token that have compiled
 * nothing yet rest, too, while four of its nodes have lately done nothing but give back.
 *
 * A node is known by its token and its name, so that registering again ends no rest.
 * Times are CLOCK_MONOTONIC, in ns.
 */
#ifndef DAEMON_COMPILER_RESTS_H
#define DAEMON_COMPILER_RESTS_H

#include <stdbool.h>
#include <stdint.h>

struct compiler_rests;

/* A worker of a node, as it is looked at. */
struct compiler {
    int64_t token; /* with which it has registered */
    const char *node;
    bool proven; /* it has compiled something since it has registered */
};

struct compiler_rest {
    uint64_t until_ns; /* 0: it does not rest */
    int given_back;    /* one after another, by its node or by those of its token */
    bool of_token;     /* it rests since others of its token do */
};

struct compiler_rests *compiler_rests_new(void);
void compiler_rests_free(struct compiler_rests *all);

/* Nothing has come of what it was leased. `workers` is how many its node has now. */
void compiler_rests_gave_back(struct compiler_rests *all, const struct compiler *c,
                              int workers, uint64_t now);

/* It has compiled something, which ends what is said of its node. */
void compiler_rests_compiled(struct compiler_rests *all, const struct compiler *c);

struct compiler_rest compiler_rests_find(const struct compiler_rests *all,
                                         const struct compiler *c, uint64_t now);

#endif
