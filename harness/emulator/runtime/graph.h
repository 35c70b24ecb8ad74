/*
 * Graphs, shared by graph*.c, capture.c and user_object.c.
 *
 * A node is what it depends on and the operations (queue.c) that it stands for, bound to
 * their arguments; what can be asked about a node is read back from them. An executable
 * graph is a copy of the graph with its nodes in an order in which they may be executed:
 * one after the other, as all work is here.
 */
#ifndef EMULATOR_RUNTIME_GRAPH_H
#define EMULATOR_RUNTIME_GRAPH_H

#include "runtime.h"

#include <pthread.h>

struct CUgraphNode_st {
    uint32_t magic;
    enum cudaGraphNodeType type;
    struct CUgraph_st *graph;
    unsigned long long id, origin; /* origin: id of the node that this is a copy of */
    struct CUgraphNode_st *next;   /* in the order of creation */
    struct CUgraphNode_st **dependency;
    size_t dependency_count;
    struct wjrt_op *op;
    size_t op_count;
    struct cudaMemcpy3DParms copy;       /* memcpy */
    cudaEvent_t event;                   /* event record and wait */
    struct CUgraph_st *child;            /* child graph: the node's own copy */
    struct cudaMemAllocNodeParams alloc; /* alloc and free: dptr */
    void **arguments;                    /* kernel: into op->text; made when asked for */
    bool disabled;                       /* in executable graphs */
    size_t mark;                         /* scratch of searches */
};

struct graph_user_object {
    struct graph_user_object *next;
    struct CUuserObject_st *object;
    unsigned count;
};

struct CUgraph_st {
    uint32_t magic;
    pthread_mutex_t lock; /* several threads may capture into one graph */
    struct CUgraphNode_st *first, **last;
    size_t count;
    struct graph_user_object *objects;
    bool is_child; /* belongs to a node */
};

/* NULL: not one of ours. */
struct CUgraph_st *wjrt_graph(cudaGraph_t handle);
struct CUgraphNode_st *wjrt_node(cudaGraphNode_t handle);

/* A node without operations, not yet in its graph's list; NULL: no host memory. Its
 * dependencies must be nodes of the graph. */
struct CUgraphNode_st *wjrt_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
                                     const cudaGraphNode_t *dependency, size_t count);
void wjrt_node_add(struct CUgraphNode_st *n); /* to its graph */
void wjrt_node_free(struct CUgraphNode_st *n);

/* Collects operations; context: the node. */
wjrt_sink wjrt_node_sink;
void wjrt_node_clear(struct CUgraphNode_st *n); /* forgets them */

/* Everything that the node does, copied from another of the same type. */
cudaError_t wjrt_node_assign(struct CUgraphNode_st *to,
                             const struct CUgraphNode_st *from);

cudaError_t wjrt_graph_copy(struct CUgraph_st **out, const struct CUgraph_st *g);

/* The nodes in an order that respects dependencies, by creation among equals; out has
 * room for all. false: there is a cycle. */
bool wjrt_graph_order(struct CUgraph_st *g, struct CUgraphNode_st **out);

/* user_object.c: references that a graph holds. */
cudaError_t wjrt_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void wjrt_objects_release(struct CUgraph_st *g);

#endif
