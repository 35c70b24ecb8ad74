/*
 * Graphs: a list of operations in an order in which they may be executed. Captured ones
 * come in the order of capture; nodes that are added explicitly can only depend on nodes
 * that are there already, so that the order in which they were added will do.
 */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct list {
    struct wjrt_op *op;
    size_t count, cap;
};

struct CUgraph_st {
    pthread_mutex_t lock; /* several threads may capture into one graph */
    struct list list;
};

struct CUgraphExec_st {
    struct list list;
    unsigned long long flags;
};

static cudaError_t
list_add(struct list *l, const struct wjrt_op *op)
{
    struct wjrt_op copy = *op;

    if (l->count == l->cap) {
        size_t cap = l->cap != 0 ? 2 * l->cap : 16;
        struct wjrt_op *grown = realloc(l->op, cap * sizeof *grown);

        if (grown == NULL)
            return cudaErrorMemoryAllocation;
        l->op = grown;
        l->cap = cap;
    }
    if (op->request.inline_bytes > 0) {
        copy.text = malloc(op->request.inline_bytes);
        if (copy.text == NULL)
            return cudaErrorMemoryAllocation;
        memcpy(copy.text, op->text, op->request.inline_bytes);
    } else {
        copy.text = NULL;
    }
    l->op[l->count++] = copy;
    return cudaSuccess;
}

static void
list_free(struct list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->op[i].text);
    free(l->op);
    *l = (struct list){0};
}

static cudaError_t
list_copy(struct list *to, const struct list *from)
{
    struct list made = {0};

    for (size_t i = 0; i < from->count; i++) {
        cudaError_t e = list_add(&made, &from->op[i]);

        if (e != cudaSuccess) {
            list_free(&made);
            return e;
        }
    }
    *to = made;
    return cudaSuccess;
}

cudaError_t
wjrt_graph_add(struct CUgraph_st *g, const struct wjrt_op *op)
{
    cudaError_t e;

    pthread_mutex_lock(&g->lock);
    e = list_add(&g->list, op);
    pthread_mutex_unlock(&g->lock);
    return e;
}

cudaError_t
cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    struct CUgraph_st *g;

    if (graph == NULL || flags != 0)
        return wjrt_error(cudaErrorInvalidValue);
    g = calloc(1, sizeof *g);
    if (g == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    pthread_mutex_init(&g->lock, NULL);
    *graph = g;
    return cudaSuccess;
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
    if (graph == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    list_free(&graph->list);
    pthread_mutex_destroy(&graph->lock);
    free(graph);
    return cudaSuccess;
}

cudaError_t
cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    cudaError_t e;

    if (clone == NULL || graph == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    e = cudaGraphCreate(clone, 0);
    if (e == cudaSuccess)
        e = list_copy(&(*clone)->list, &graph->list);
    return wjrt_error(e);
}

/* Only how many: nodes themselves have no handles yet. */
cudaError_t
cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    if (graph == NULL || count == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (nodes != NULL)
        return wjrt_error(cudaErrorNotSupported);
    *count = graph->list.count;
    return cudaSuccess;
}

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    struct CUgraphExec_st *made;
    cudaError_t e;

    if (exec == NULL || graph == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    made->flags = flags;
    e = list_copy(&made->list, &graph->list);
    if (e != cudaSuccess)
        free(made);
    else
        *exec = made;
    return wjrt_error(e);
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
    if (exec == NULL || flags == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                    cudaGraphExecUpdateResultInfo *result)
{
    struct list fresh = {0};
    cudaError_t e;

    if (exec == NULL || graph == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    e = list_copy(&fresh, &graph->list);
    if (e == cudaSuccess) {
        list_free(&exec->list);
        exec->list = fresh;
    }
    if (result != NULL) {
        memset(result, 0, sizeof *result);
        result->result =
            e == cudaSuccess ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateError;
    }
    return wjrt_error(e);
}

cudaError_t
cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (exec == NULL || wjrt_stream(stream) == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    return cudaSuccess;
}
WJRT_PTSZ(cudaGraphUpload);

cudaError_t
cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;

    if (exec == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < exec->list.count && e == cudaSuccess; i++)
        e = wjrt_enqueue(stream, &exec->list.op[i], false);
    return wjrt_error(e);
}
WJRT_PTSZ(cudaGraphLaunch);

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (exec == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    list_free(&exec->list);
    free(exec);
    return cudaSuccess;
}
