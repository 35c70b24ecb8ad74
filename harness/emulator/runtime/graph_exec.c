/* Executable graphs: how they are made, changed and launched. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define EXEC_MAGIC 0x77677865u

struct CUgraphExec_st {
    uint32_t magic;
    unsigned long long flags;
    struct CUgraph_st *graph;      /* its own copy */
    struct CUgraphNode_st **order; /* graph->count nodes */
};

static struct CUgraphExec_st *
exec_of(cudaGraphExec_t handle)
{
    return handle != NULL && handle->magic == EXEC_MAGIC ? handle : NULL;
}

/* Finds the copy of a node. Nodes of child graphs are found by the same ids. */
static struct CUgraphNode_st *
exec_find_node(const struct CUgraph_st *g, unsigned long long id)
{
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next) {
        struct CUgraphNode_st *below;

        if (n->origin == id)
            return n;
        below = n->child != NULL ? exec_find_node(n->child, id) : NULL;
        if (below != NULL)
            return below;
    }
    return NULL;
}

struct CUgraphNode_st *
wjrt_exec_node(cudaGraphExec_t exec, const struct CUgraphNode_st *node)
{
    const struct CUgraphExec_st *x = exec_of(exec);

    return x != NULL ? exec_find_node(x->graph, node->id) : NULL;
}

static bool
has_cycle(struct CUgraph_st *g, struct CUgraphNode_st **order)
{
    return !wjrt_graph_order(g, order);
}

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    const struct CUgraph_st *g = wjrt_graph(graph);
    struct CUgraphExec_st *x;
    cudaError_t e;

    if (exec == NULL || g == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        wjrt_warn_once("graphs can't be launched by kernels on the emulated GPU");
        return wjrt_error(cudaErrorNotSupported);
    }
    x = calloc(1, sizeof *x);
    if (x == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    x->magic = EXEC_MAGIC;
    x->flags = flags;
    e = wjrt_graph_copy(&x->graph, g);
    if (e == cudaSuccess) {
        x->order = calloc(x->graph->count + 1, sizeof(struct CUgraphNode_st *));
        if (x->order == NULL)
            e = cudaErrorMemoryAllocation;
        else if (has_cycle(x->graph, x->order))
            e = cudaErrorInvalidValue;
    }
    if (e != cudaSuccess) {
        if (x->graph != NULL)
            cudaGraphDestroy(x->graph);
        free(x->order);
        free(x);
        return wjrt_error(e);
    }
    *exec = x;
    return cudaSuccess;
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                              unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *params)
{
    cudaError_t e;

    if (params == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    e = cudaGraphInstantiate(exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out =
        e == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return e;
}
WJRT_PTSZ(cudaGraphInstantiateWithParams);

cudaError_t
cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    const struct CUgraphExec_st *x = exec_of(exec);

    if (x == NULL || flags == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *flags = x->flags;
    return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    struct CUgraphExec_st *x = exec_of(exec);

    if (x == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    cudaGraphDestroy(x->graph);
    free(x->order);
    x->magic = 0;
    free(x);
    return cudaSuccess;
}

/* --- changes ------------------------------------------------------------------------ */

/* Can the node be switched off? Only nodes that do something on the device can. */
static bool
has_switch(const struct CUgraphNode_st *n)
{
    return n->type == cudaGraphNodeTypeKernel || n->type == cudaGraphNodeTypeMemcpy ||
           n->type == cudaGraphNodeTypeMemset;
}

cudaError_t
cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    struct CUgraphNode_st *n =
        wjrt_node(node) != NULL ? wjrt_exec_node(exec, node) : NULL;

    if (n == NULL || !has_switch(n))
        return wjrt_error(cudaErrorInvalidValue);
    n->disabled = enabled == 0;
    return cudaSuccess;
}

cudaError_t
cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    const struct CUgraphNode_st *n =
        wjrt_node(node) != NULL ? wjrt_exec_node(exec, node) : NULL;

    if (n == NULL || !has_switch(n) || enabled == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *enabled = !n->disabled;
    return cudaSuccess;
}

/* Do both graphs have the same nodes and edges, in the order in which they were made? */
static enum cudaGraphExecUpdateResult
exec_compare(const struct CUgraph_st *a, struct CUgraph_st *b,
             struct CUgraphNode_st **culprit)
{
    struct CUgraphNode_st *m = b->first;
    size_t number = 0;

    *culprit = NULL;
    if (a->count != b->count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (struct CUgraphNode_st *n = a->first; n != NULL; n = n->next, m = m->next)
        n->mark = m->mark = ++number;
    m = b->first;
    for (const struct CUgraphNode_st *n = a->first; n != NULL; n = n->next, m = m->next) {
        *culprit = m;
        if (n->type != m->type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (n->dependency_count != m->dependency_count)
            return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t i = 0; i < n->dependency_count; i++)
            if (n->dependency[i]->mark != m->dependency[i]->mark)
                return cudaGraphExecUpdateErrorTopologyChanged;
    }
    *culprit = NULL;
    return cudaGraphExecUpdateSuccess;
}

cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                    cudaGraphExecUpdateResultInfo *result)
{
    struct CUgraphExec_st *x = exec_of(exec);
    struct CUgraph_st *g = wjrt_graph(graph);
    enum cudaGraphExecUpdateResult outcome;
    struct CUgraphNode_st *culprit, *to;
    cudaError_t e = cudaSuccess;

    if (x == NULL || g == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    outcome = exec_compare(x->graph, g, &culprit);
    if (result != NULL)
        *result =
            (cudaGraphExecUpdateResultInfo){.result = outcome, .errorNode = culprit};
    if (outcome != cudaGraphExecUpdateSuccess)
        return wjrt_error(cudaErrorGraphExecUpdateFailure);
    to = x->graph->first;
    for (const struct CUgraphNode_st *n = g->first; n != NULL && e == cudaSuccess;
         n = n->next, to = to->next)
        e = wjrt_node_assign(to, n);
    return wjrt_error(e);
}

/* --- launching ---------------------------------------------------------------------- */

static cudaError_t launch_nodes(struct CUgraphNode_st *const *order, size_t count,
                                cudaStream_t stream);

static cudaError_t
launch_child(struct CUgraph_st *g, cudaStream_t stream)
{
    struct CUgraphNode_st **order = calloc(g->count + 1, sizeof(struct CUgraphNode_st *));
    cudaError_t e = cudaErrorInvalidValue;

    if (order == NULL)
        return cudaErrorMemoryAllocation;
    if (!has_cycle(g, order))
        e = launch_nodes(order, g->count, stream);
    free(order);
    return e;
}

static cudaError_t
launch_nodes(struct CUgraphNode_st *const *order, size_t count, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;

    for (size_t i = 0; i < count && e == cudaSuccess; i++) {
        const struct CUgraphNode_st *n = order[i];

        if (n->disabled)
            continue;
        for (size_t k = 0; k < n->op_count && e == cudaSuccess; k++)
            e = wjrt_enqueue(stream, &n->op[k], false);
        if (e == cudaSuccess && n->type == cudaGraphNodeTypeEventRecord)
            wjrt_event_recorded(n->event);
        if (e == cudaSuccess && n->child != NULL)
            e = launch_child(n->child, stream);
    }
    return e;
}

cudaError_t
cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct CUgraphExec_st *x = exec_of(exec);

    if (x == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (wjrt_stream(stream) == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    return wjrt_error(launch_nodes(x->order, x->graph->count, stream));
}
WJRT_PTSZ(cudaGraphLaunch);

cudaError_t
cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (exec_of(exec) == NULL || wjrt_stream(stream) == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    return cudaSuccess;
}
WJRT_PTSZ(cudaGraphUpload);

/* --- memory of graphs --------------------------------------------------------------- */

cudaError_t
cudaDeviceGraphMemTrim(int device)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && !wjrt_is_device(device))
        e = cudaErrorInvalidDevice;
    return wjrt_error(e);
}

/* Memory of allocation nodes is ordinary memory here, so nothing is set aside. */
cudaError_t
cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                               void *value)
{
    if (wjrt_connect() != cudaSuccess || !wjrt_is_device(device))
        return wjrt_error(cudaErrorInvalidDevice);
    if (value == NULL || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return wjrt_error(cudaErrorInvalidValue);
    memset(value, 0, sizeof(uint64_t));
    return cudaSuccess;
}

cudaError_t
cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                               void *value)
{
    if (wjrt_connect() != cudaSuccess || !wjrt_is_device(device))
        return wjrt_error(cudaErrorInvalidDevice);
    if (value == NULL || *(const uint64_t *)value != 0 ||
        (attribute != cudaGraphMemAttrUsedMemHigh &&
         attribute != cudaGraphMemAttrReservedMemHigh))
        return wjrt_error(cudaErrorInvalidValue);
    return cudaSuccess;
}
