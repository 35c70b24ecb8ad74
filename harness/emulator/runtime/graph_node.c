/*
 * Nodes of graphs by type: how they are added, queried and given other parameters, in a
 * graph or (Exec) in an executable one. Parameters become operations at once, because a
 * kernel's arguments must be copied.
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* --- parameters -> operations ------------------------------------------------------- */

static cudaError_t
bind_memcpy(struct CUgraphNode_st *n, const struct cudaMemcpy3DParms *p)
{
    n->copy = *p;
    return wjrt_copy_3d(p, wjrt_node_sink, n);
}

static cudaError_t
bind_memset(struct CUgraphNode_st *n, const struct cudaMemsetParams *p)
{
    return wjrt_fill(p, wjrt_node_sink, n);
}

static cudaError_t
bind_host(struct CUgraphNode_st *n, const struct cudaHostNodeParams *p)
{
    struct wjrt_op op = {.host = p->fn, .host_data = p->userData};

    return p->fn != NULL ? wjrt_node_sink(n, &op) : cudaErrorInvalidValue;
}

static cudaError_t
bind_kernel(struct CUgraphNode_st *n, const struct cudaKernelNodeParams *p)
{
    bool cooperative = n->op_count > 0 && n->op[0].request.flags & GPU_COOPERATIVE;

    return p->extra == NULL ? wjrt_kernel(p, cooperative, wjrt_node_sink, n)
                            : cudaErrorNotSupported;
}

static cudaError_t
bind_event(struct CUgraphNode_st *n, cudaEvent_t event)
{
    struct wjrt_op op = {0};
    cudaError_t e = wjrt_event_op(event, &op);

    n->event = event;
    if (e == cudaSuccess && n->type == cudaGraphNodeTypeEventRecord)
        e = wjrt_node_sink(n, &op);
    return e; /* an event's work is always done before */
}

static cudaError_t
bind_child(struct CUgraphNode_st *n, cudaGraph_t graph)
{
    struct CUgraph_st *g = wjrt_graph(graph);
    cudaError_t e;

    if (g == NULL || g == n->graph)
        return cudaErrorInvalidValue;
    e = wjrt_graph_copy(&n->child, g);
    if (e == cudaSuccess)
        n->child->is_child = true;
    return e;
}

/* A copy of one row of memory. */
static struct cudaMemcpy3DParms
row_copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)from, bytes, bytes, 1},
        .dstPtr = {to, bytes, bytes, 1},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
}

/* --- adding ------------------------------------------------------------------------- */

/* Makes a node that lacks only its parameters. */
static cudaError_t
node_begin(struct CUgraphNode_st **made, cudaGraphNode_t *node, cudaGraph_t graph,
           enum cudaGraphNodeType type, const cudaGraphNode_t *dependency, size_t count)
{
    struct CUgraph_st *g = wjrt_graph(graph);

    if (g == NULL || node == NULL || (count > 0 && dependency == NULL))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (wjrt_node(dependency[i]) == NULL || dependency[i]->graph != g)
            return cudaErrorInvalidValue;
    *made = wjrt_node_new(g, type, dependency, count);
    return *made != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t
node_finish(struct CUgraphNode_st *made, cudaError_t e, cudaGraphNode_t *node)
{
    if (e != cudaSuccess) {
        wjrt_node_free(made);
        return wjrt_error(e);
    }
    wjrt_node_add(made);
    *node = made;
    return cudaSuccess;
}

/* cudaGraphAddXNode: `given` checks the parameters, `bind` makes operations of them. */
#define ADD_NODE(name, type, declaration, given, bind)                                   \
    cudaError_t name(cudaGraphNode_t *node, cudaGraph_t graph,                           \
                     const cudaGraphNode_t *dependency, size_t count, declaration)       \
    {                                                                                    \
        struct CUgraphNode_st *n;                                                        \
        cudaError_t e = (given) != NULL ? cudaSuccess : cudaErrorInvalidValue;           \
                                                                                         \
        if (e == cudaSuccess)                                                            \
            e = node_begin(&n, node, graph, type, dependency, count);                    \
        return e == cudaSuccess ? node_finish(n, bind, node) : wjrt_error(e);            \
    }

ADD_NODE(cudaGraphAddKernelNode, cudaGraphNodeTypeKernel,
         const struct cudaKernelNodeParams *p, p, bind_kernel(n, p))
ADD_NODE(cudaGraphAddMemcpyNode, cudaGraphNodeTypeMemcpy,
         const struct cudaMemcpy3DParms *p, p, bind_memcpy(n, p))
ADD_NODE(cudaGraphAddMemsetNode, cudaGraphNodeTypeMemset,
         const struct cudaMemsetParams *p, p, bind_memset(n, p))
ADD_NODE(cudaGraphAddHostNode, cudaGraphNodeTypeHost, const struct cudaHostNodeParams *p,
         p, bind_host(n, p))
ADD_NODE(cudaGraphAddChildGraphNode, cudaGraphNodeTypeGraph, cudaGraph_t child, child,
         bind_child(n, child))
ADD_NODE(cudaGraphAddEventRecordNode, cudaGraphNodeTypeEventRecord, cudaEvent_t event,
         event, bind_event(n, event))
ADD_NODE(cudaGraphAddEventWaitNode, cudaGraphNodeTypeWaitEvent, cudaEvent_t event, event,
         bind_event(n, event))

cudaError_t
cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                      const cudaGraphNode_t *dependency, size_t count)
{
    struct CUgraphNode_st *n;
    cudaError_t e =
        node_begin(&n, node, graph, cudaGraphNodeTypeEmpty, dependency, count);

    return e == cudaSuccess ? node_finish(n, cudaSuccess, node) : wjrt_error(e);
}

cudaError_t
cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                         const cudaGraphNode_t *dependency, size_t count, void *to,
                         const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = row_copy(to, from, bytes, kind);

    return cudaGraphAddMemcpyNode(node, graph, dependency, count, &p);
}

cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *dependency, size_t count,
                               const void *symbol, const void *from, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind)
{
    char *to;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &to);

    return e == cudaSuccess ? cudaGraphAddMemcpyNode1D(node, graph, dependency, count, to,
                                                       from, bytes, kind)
                            : wjrt_error(e);
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependency, size_t count,
                                 void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    char *from;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &from);

    return e == cudaSuccess ? cudaGraphAddMemcpyNode1D(node, graph, dependency, count, to,
                                                       from, bytes, kind)
                            : wjrt_error(e);
}

/* Allocates the memory now, at the address that it has in every launch. A free node
 * leaves it there for the next launch. */
cudaError_t
cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                         const cudaGraphNode_t *dependency, size_t count,
                         struct cudaMemAllocNodeParams *p)
{
    struct CUgraphNode_st *n;
    cudaError_t e = p != NULL ? cudaSuccess : cudaErrorInvalidValue;

    if (e == cudaSuccess)
        e = node_begin(&n, node, graph, cudaGraphNodeTypeMemAlloc, dependency, count);
    if (e != cudaSuccess)
        return wjrt_error(e);
    e = wjrt_graph_alloc(&p->dptr, p->bytesize);
    n->alloc = *p;
    return node_finish(n, e, node);
}

cudaError_t
cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                        const cudaGraphNode_t *dependency, size_t count, void *pointer)
{
    struct CUgraphNode_st *n;
    cudaError_t e = pointer != NULL ? cudaSuccess : cudaErrorInvalidValue;

    if (e == cudaSuccess)
        e = node_begin(&n, node, graph, cudaGraphNodeTypeMemFree, dependency, count);
    if (e != cudaSuccess)
        return wjrt_error(e);
    n->alloc.dptr = pointer;
    return node_finish(n, cudaSuccess, node);
}

cudaError_t
cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                 const cudaGraphNode_t *dependency, const cudaGraphEdgeData *edges,
                 size_t count, struct cudaGraphNodeParams *p)
{
    (void)edges;
    if (p == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    switch (p->type) { /* the V2 structures begin with the members of the older ones */
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(node, graph, dependency, count, (void *)&p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, dependency, count,
                                      &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(node, graph, dependency, count, (void *)&p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(node, graph, dependency, count, (void *)&p->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, dependency, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, dependency, count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, dependency, count,
                                         p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, dependency, count,
                                           p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return cudaGraphAddMemAllocNode(node, graph, dependency, count,
                                        (void *)&p->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, dependency, count, p->free.dptr);
    default: /* external semaphores, conditional nodes */
        return wjrt_error(cudaErrorNotSupported);
    }
}

/* --- other parameters --------------------------------------------------------------- */

/* The node to change: the given one, or its copy in an executable graph. */
static struct CUgraphNode_st *
node_to_change(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node,
               enum cudaGraphNodeType type)
{
    struct CUgraphNode_st *n = wjrt_node(node);

    if (n != NULL && in_exec)
        n = wjrt_exec_node(exec, n);
    return n != NULL && n->type == type ? n : NULL;
}

/* Replaces what the node does by what the scratch node does. */
static cudaError_t
node_replace(struct CUgraphNode_st *n, struct CUgraphNode_st *scratch, cudaError_t e)
{
    if (e == cudaSuccess)
        e = wjrt_node_assign(n, scratch);
    wjrt_node_free(scratch);
    return wjrt_error(e);
}

/* cudaGraphXNodeSetParams and cudaGraphExecXNodeSetParams. */
#define SET_NODE(name, exec_name, type, declaration, given, bind)                        \
    static cudaError_t set_in_##name(cudaGraphExec_t exec, bool in_exec,                 \
                                     cudaGraphNode_t node, declaration)                  \
    {                                                                                    \
        struct CUgraphNode_st *old = node_to_change(exec, in_exec, node, type), *n;      \
                                                                                         \
        if (old == NULL || (given) == NULL)                                              \
            return wjrt_error(cudaErrorInvalidValue);                                    \
        n = wjrt_node_new(old->graph, type, NULL, 0);                                    \
        if (n == NULL)                                                                   \
            return wjrt_error(cudaErrorMemoryAllocation);                                \
        return node_replace(old, n, bind);                                               \
    }                                                                                    \
                                                                                         \
    cudaError_t name(cudaGraphNode_t node, declaration)                                  \
    {                                                                                    \
        return set_in_##name(NULL, false, node, given);                                  \
    }                                                                                    \
                                                                                         \
    cudaError_t exec_name(cudaGraphExec_t exec, cudaGraphNode_t node, declaration)       \
    {                                                                                    \
        return set_in_##name(exec, true, node, given);                                   \
    }

SET_NODE(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
         cudaGraphNodeTypeKernel, const struct cudaKernelNodeParams *p, p,
         bind_kernel(n, p))
SET_NODE(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
         cudaGraphNodeTypeMemcpy, const struct cudaMemcpy3DParms *p, p, bind_memcpy(n, p))
SET_NODE(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
         cudaGraphNodeTypeMemset, const struct cudaMemsetParams *p, p, bind_memset(n, p))
SET_NODE(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
         cudaGraphNodeTypeHost, const struct cudaHostNodeParams *p, p, bind_host(n, p))
SET_NODE(cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
         cudaGraphNodeTypeEventRecord, cudaEvent_t event, event, bind_event(n, event))
SET_NODE(cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
         cudaGraphNodeTypeWaitEvent, cudaEvent_t event, event, bind_event(n, event))

cudaError_t
cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                     cudaGraph_t child)
{
    struct CUgraphNode_st *old = node_to_change(exec, true, node, cudaGraphNodeTypeGraph),
                          *n;

    if (old == NULL || wjrt_graph(child) == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    n = wjrt_node_new(old->graph, cudaGraphNodeTypeGraph, NULL, 0);
    return n != NULL ? node_replace(old, n, bind_child(n, child))
                     : wjrt_error(cudaErrorMemoryAllocation);
}

cudaError_t
cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                               size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = row_copy(to, from, bytes, kind);

    return cudaGraphMemcpyNodeSetParams(node, &p);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                   const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = row_copy(to, from, bytes, kind);

    return cudaGraphExecMemcpyNodeSetParams(exec, node, &p);
}

cudaError_t
cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                     const void *from, size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind)
{
    char *to;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &to);

    return e == cudaSuccess ? cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind)
                            : wjrt_error(e);
}

cudaError_t
cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol,
                                       size_t bytes, size_t offset,
                                       enum cudaMemcpyKind kind)
{
    char *from;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &from);

    return e == cudaSuccess ? cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind)
                            : wjrt_error(e);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                         const void *symbol, const void *from,
                                         size_t bytes, size_t offset,
                                         enum cudaMemcpyKind kind)
{
    char *to;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &to);

    return e == cudaSuccess
               ? cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, bytes, kind)
               : wjrt_error(e);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           void *to, const void *symbol, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    char *from;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &from);

    return e == cudaSuccess
               ? cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, bytes, kind)
               : wjrt_error(e);
}

static cudaError_t
node_set_any(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node,
             struct cudaGraphNodeParams *p)
{
    if (p == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return set_in_cudaGraphKernelNodeSetParams(exec, in_exec, node,
                                                   (void *)&p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return set_in_cudaGraphMemcpyNodeSetParams(exec, in_exec, node,
                                                   &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return set_in_cudaGraphMemsetNodeSetParams(exec, in_exec, node,
                                                   (void *)&p->memset);
    case cudaGraphNodeTypeHost:
        return set_in_cudaGraphHostNodeSetParams(exec, in_exec, node, (void *)&p->host);
    case cudaGraphNodeTypeEventRecord:
        return set_in_cudaGraphEventRecordNodeSetEvent(exec, in_exec, node,
                                                       p->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return set_in_cudaGraphEventWaitNodeSetEvent(exec, in_exec, node,
                                                     p->eventWait.event);
    default:
        return wjrt_error(cudaErrorNotSupported);
    }
}

cudaError_t
cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    return node_set_any(NULL, false, node, p);
}

cudaError_t
cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                           struct cudaGraphNodeParams *p)
{
    return node_set_any(exec, true, node, p);
}
