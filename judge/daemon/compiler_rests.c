#include "daemon/compiler_rests.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIVEN_BACK_MORE 3 /* than the node has had workers */
#define WORKERS_COUNTED 64
#define REST_S 60
#define REST_MOST_S 3600
#define NODES_OF_TOKEN 4
#define NODES_KEPT 64
#define NODE_BYTES 65
#define NS_PER_S UINT64_C(1000000000)

/* A node that has given back, and compiled nothing since. */
struct rest_node {
    int64_t token;
    char name[NODE_BYTES];
    int workers; /* as many as it has had at a time */
    int given_back;
    uint64_t rest_s; /* how long its next rest is */
    uint64_t last_ns, until_ns;
};

struct compiler_rests {
    struct rest_node node[NODES_KEPT];
    int count;
};

struct compiler_rests *
compiler_rests_new(void)
{
    return xcalloc(1, sizeof(struct compiler_rests));
}

void
compiler_rests_free(struct compiler_rests *all)
{
    free(all);
}

static bool
rest_node_is(const struct rest_node *n, const struct compiler *c)
{
    return n->token == c->token && strcmp(n->name, c->node) == 0;
}

/* The one to forget where all places are taken: the one that was heard of longest ago. */
static struct rest_node *
rests_oldest(struct compiler_rests *all)
{
    struct rest_node *oldest = &all->node[0];

    for (int i = 1; i < all->count; i++)
        if (all->node[i].last_ns < oldest->last_ns)
            oldest = &all->node[i];
    return oldest;
}

static struct rest_node *
rests_enter(struct compiler_rests *all, const struct compiler *c)
{
    struct rest_node *n;

    for (int i = 0; i < all->count; i++)
        if (rest_node_is(&all->node[i], c))
            return &all->node[i];
    n = all->count < NODES_KEPT ? &all->node[all->count++] : rests_oldest(all);
    *n = (struct rest_node){.token = c->token, .rest_s = REST_S};
    snprintf(n->name, sizeof n->name, "%s", c->node);
    return n;
}

void
compiler_rests_gave_back(struct compiler_rests *all, const struct compiler *c,
                         int workers, uint64_t now)
{
    struct rest_node *n = rests_enter(all, c);

    n->last_ns = now;
    n->given_back++;
    if (workers > n->workers)
        n->workers = workers < WORKERS_COUNTED ? workers : WORKERS_COUNTED;
    /* What it had when its rest began is given back during the rest. */
    if (now < n->until_ns || n->given_back < n->workers + GIVEN_BACK_MORE)
        return;
    n->until_ns = now + n->rest_s * NS_PER_S;
    n->rest_s = 2 * n->rest_s < REST_MOST_S ? 2 * n->rest_s : REST_MOST_S;
}

void
compiler_rests_compiled(struct compiler_rests *all, const struct compiler *c)
{
    for (int i = 0; i < all->count; i++)
        if (rest_node_is(&all->node[i], c)) {
            all->node[i] = all->node[--all->count];
            return;
        }
}

/* Do so many nodes of the token give back that no new one of it is trusted? */
static struct compiler_rest
rest_of_token(const struct compiler_rests *all, int64_t token, uint64_t now)
{
    struct compiler_rest rest = {.of_token = true};
    int nodes = 0;

    for (int i = 0; i < all->count; i++) {
        const struct rest_node *n = &all->node[i];
        const uint64_t until = n->last_ns + REST_S * NS_PER_S;

        if (n->token != token || until <= now)
            continue;
        nodes++;
        rest.given_back += n->given_back;
        if (until > rest.until_ns)
            rest.until_ns = until;
    }
    return nodes >= NODES_OF_TOKEN ? rest : (struct compiler_rest){0};
}

struct compiler_rest
compiler_rests_find(const struct compiler_rests *all, const struct compiler *c,
                    uint64_t now)
{
    for (int i = 0; i < all->count; i++) {
        const struct rest_node *n = &all->node[i];

        if (rest_node_is(n, c) && now < n->until_ns)
            return (struct compiler_rest){.until_ns = n->until_ns,
                                          .given_back = n->given_back};
    }
    return c->proven ? (struct compiler_rest){0} : rest_of_token(all, c->token, now);
}
