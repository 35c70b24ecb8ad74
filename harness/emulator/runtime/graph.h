/*
 * Graphs, shared by graph*.c, capture.c and user_object.c.
 *
 * A node has dependencies, and the operations (queue.c) that it does, bound to their
 * arguments. Queries about a node read its parameters back from the operations. An
 * executable graph is a copy of the graph with its nodes in an order of execution. It
 * runs them one after the other, as all work is done here.
 */
#ifndef EMULATOR_RUNTIME_GRAPH_H
#define EMULATOR_RUNTIME_GRAPH_H

#include "runtime.h"

#include <pthread.h>

struct CUgraphNode_st {
    uint32_t magic;
    enum cudaGraphNodeType type;
    struct CUgraph_st *graph;
    unsigned long long id, origin; /* origin: id of the node of which this is a copy */
    struct CUgraphNode_st *next;   /* in the order of creation */
    struct CUgraphNode_st **dependency;
    size_t dependency_count;
    struct wjrt_op *op;
    size_t op_count;
    struct cudaMemcpy3DParms copy;       /* memcpy */
    cudaEvent_t event;                   /* event record and event wait */
    struct CUgraph_st *child;            /* child graph: the node's own copy */
    struct cudaMemAllocNodeParams alloc; /* alloc and free: dptr */
    void **arguments; /* kernel: pointers into op->text; made when asked for */
    bool disabled;    /* only in executable graphs */
    size_t mark;      /* scratch of searches */
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

/* NULL: the handle is none of ours. */
struct CUgraph_st *wjrt_graph(cudaGraph_t handle);
struct CUgraphNode_st *wjrt_node(cudaGraphNode_t handle);

/* Makes a node without operations that is not yet in its graph's list. Its dependencies
 * must be nodes of the graph. NULL: no host memory. */
struct CUgraphNode_st *wjrt_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
                                     const cudaGraphNode_t *dependency, size_t count);
void wjrt_node_add(struct CUgraphNode_st *n); /* adds it to its graph */
void wjrt_node_free(struct CUgraphNode_st *n);

/* Collects operations; its context is the node. */
wjrt_sink wjrt_node_sink;
void wjrt_node_clear(struct CUgraphNode_st *n); /* forgets its operations */

/* Copies all that the node does from another node of the same type. */
cudaError_t wjrt_node_assign(struct CUgraphNode_st *to,
                             const struct CUgraphNode_st *from);

cudaError_t wjrt_graph_copy(struct CUgraph_st **out, const struct CUgraph_st *g);

/* Writes the nodes in an order that respects dependencies, by age among equals. out has
 * room for all nodes. Returns false if there is a cycle. */
bool wjrt_graph_order(struct CUgraph_st *g, struct CUgraphNode_st **out);

/* user_object.c: the references that a graph holds. */
cudaError_t wjrt_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void wjrt_objects_release(struct CUgraph_st *g);

#endif
