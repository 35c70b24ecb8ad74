/* Queries of nodes: parameters are read back from a node's operations. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* The node, if it has this type and does something. */
static struct CUgraphNode_st *
node_of(cudaGraphNode_t node, enum cudaGraphNodeType type, const void *out)
{
    struct CUgraphNode_st *n = wjrt_node(node);

    return n != NULL && out != NULL && n->type == type ? n : NULL;
}

/* Finds pointers to the arguments as the node keeps them, valid while its parameters
 * are. */
static cudaError_t
find_arguments(struct CUgraphNode_st *n, const struct wjrt_function *f)
{
    if (n->arguments != NULL)
        return cudaSuccess;
    n->arguments = calloc(f->kernel.param_count + 1, sizeof(void *));
    if (n->arguments == NULL)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < f->kernel.param_count; i++)
        n->arguments[i] = (char *)n->op[0].text + f->param[i].offset;
    return cudaSuccess;
}

cudaError_t
cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeKernel, p);
    const struct gpu_request *q;
    struct wjrt_function *f;
    cudaError_t e;

    if (n == NULL || n->op_count != 1)
        return wjrt_error(cudaErrorInvalidValue);
    q = &n->op[0].request;
    e = wjrt_function(n->op[0].kernel, &f);
    if (e == cudaSuccess)
        e = find_arguments(n, f);
    if (e != cudaSuccess)
        return wjrt_error(e);
    *p = (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)n->op[0].kernel,
        .gridDim = {q->launch.grid[0], q->launch.grid[1], q->launch.grid[2]},
        .blockDim = {q->launch.block[0], q->launch.block[1], q->launch.block[2]},
        .sharedMemBytes = q->launch.dynamic_shared,
        .kernelParams = n->arguments,
    };
    return cudaSuccess;
}

cudaError_t
cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeMemcpy, p);

    if (n == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *p = n->copy;
    return cudaSuccess;
}

cudaError_t
cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeMemset, p);
    const struct gpu_request *q;

    if (n == NULL || n->op_count != 1)
        return wjrt_error(cudaErrorInvalidValue);
    q = &n->op[0].request;
    *p = (struct cudaMemsetParams){
        .dst = (void *)(uintptr_t)q->set.to,
        .pitch = q->set.pitch,
        .value = q->set.value,
        .elementSize = q->set.element,
        .width = q->set.width / q->set.element,
        .height = q->set.height,
    };
    return cudaSuccess;
}

cudaError_t
cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeHost, p);

    if (n == NULL || n->op_count != 1)
        return wjrt_error(cudaErrorInvalidValue);
    *p = (struct cudaHostNodeParams){n->op[0].host, n->op[0].host_data};
    return cudaSuccess;
}

/* The returned graph is the node's own, so changing it changes the node. */
cudaError_t
cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeGraph, graph);

    if (n == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *graph = n->child;
    return cudaSuccess;
}

cudaError_t
cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeEventRecord, event);

    if (n == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *event = n->event;
    return cudaSuccess;
}

cudaError_t
cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeWaitEvent, event);

    if (n == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *event = n->event;
    return cudaSuccess;
}

cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeMemAlloc, p);

    if (n == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *p = n->alloc;
    return cudaSuccess;
}

cudaError_t
cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeMemFree, pointer);

    if (n == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    memcpy(pointer, &n->alloc.dptr, sizeof n->alloc.dptr);
    return cudaSuccess;
}

/* Only this launch attribute of a kernel changes what happens; others change how fast. */
cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                const cudaLaunchAttributeValue *value)
{
    struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeKernel, value);

    if (n == NULL || n->op_count != 1)
        return wjrt_error(cudaErrorInvalidValue);
    if (attribute == cudaLaunchAttributeCooperative)
        n->op[0].request.flags = value->cooperative ? GPU_COOPERATIVE : 0;
    return cudaSuccess;
}

cudaError_t
cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                cudaLaunchAttributeValue *value)
{
    const struct CUgraphNode_st *n = node_of(node, cudaGraphNodeTypeKernel, value);

    if (n == NULL || n->op_count != 1)
        return wjrt_error(cudaErrorInvalidValue);
    memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributeCooperative)
        value->cooperative = (n->op[0].request.flags & GPU_COOPERATIVE) != 0;
    return cudaSuccess;
}

cudaError_t
cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to)
{
    cudaLaunchAttributeValue value = {0};
    cudaError_t e =
        cudaGraphKernelNodeGetAttribute(from, cudaLaunchAttributeCooperative, &value);

    return e == cudaSuccess ? cudaGraphKernelNodeSetAttribute(
                                  to, cudaLaunchAttributeCooperative, &value)
                            : e;
}
