// links: runtime_gpu runtime gpu gpu_owner text exec ptx
/* The CUDA runtime library's graphs: what streams capture, and nodes made by hand. */
#include "../fixtures/runtime_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two streams, the second drawn into the capture of the first by an event. */
static void
test_capture(void **state)
{
    float value = 1, *p = device_floats(&value, 1);
    cudaStream_t one, two;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaEvent_t event;
    size_t nodes;

    (void)state;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&event);
    assert_int_equal(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal),
                     cudaSuccess);
    scale_in(one, 1, 1, p, 1, 2);
    assert_int_equal(cudaEventRecord(event, one), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(two, event, 0), cudaSuccess);
    scale_in(two, 1, 1, p, 1, 3);
    assert_int_equal(cudaEventRecord(event, two), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(one, event, 0), cudaSuccess);
    assert_int_equal(cudaStreamEndCapture(one, &graph), cudaSuccess);
    assert_float_equal(device_float(p), 1, 0); /* nothing has run yet */
    assert_int_equal(cudaGraphGetNodes(graph, NULL, &nodes), cudaSuccess);
    assert_int_equal(nodes, 2);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaGraphLaunch(exec, one), cudaSuccess);
    assert_int_equal(cudaGraphLaunch(exec, two), cudaSuccess);
    assert_float_equal(device_float(p), 36, 0);
    cudaGraphExecDestroy(exec);
    cudaEventDestroy(event);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaGetLastError();
    cudaFree(p);
}

/* What is not allowed in a capture ends it: as CUDA 13.0 did on an H200. */
static void
test_invalid_captures(void **state)
{
    enum cudaStreamCaptureStatus status;
    float value = 1, *p = device_floats(&value, 1);
    cudaStream_t one, two;
    cudaGraph_t graph;
    cudaEvent_t event;
    void *other;

    (void)state;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&event);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    assert_int_equal(cudaStreamSynchronize(one), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamIsCapturing(one, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusInvalidated);
    assert_int_equal(cudaStreamEndCapture(one, &graph),
                     cudaErrorStreamCaptureInvalidated);
    assert_null(graph);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    assert_int_equal(cudaMalloc(&other, 4), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(one, &graph),
                     cudaErrorStreamCaptureInvalidated);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaGetLastError();
    scale_in(NULL, 1, 1, p, 1, 2); /* in the legacy stream */
    assert_int_equal(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
    assert_int_equal(cudaStreamEndCapture(one, &graph),
                     cudaErrorStreamCaptureInvalidated);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed);
    assert_int_equal(cudaMalloc(&other, 4), cudaSuccess);
    assert_int_equal(cudaEventRecord(event, one), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(two, event, 0), cudaSuccess);
    scale_in(two, 1, 1, p, 1, 3); /* the first stream never waits for it */
    assert_int_equal(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureUnjoined);
    assert_int_equal(cudaStreamIsCapturing(two, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    assert_float_equal(device_float(p), 1, 0); /* none of it ran */
    cudaEventDestroy(event);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaGetLastError();
    cudaFree(other);
    cudaFree(p);
}

static void
count_call(void *calls)
{
    ++*(int *)calls;
}

/* scale by 2, then (after it) by 3, a copy back, a host function; by hand. */
static void
test_graph_nodes(void **state)
{
    float value = 1, out = 0, *p = device_floats(&value, 1), by[2] = {2, 3};
    int n = 1, calls = 0;
    void *args[] = {&p, &n, &by[1]};
    struct cudaKernelNodeParams kernel = {
        .func = &scale_stub, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    struct cudaHostNodeParams host = {count_call, &calls};
    cudaGraphNode_t later, sooner, copy, call, found;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;

    (void)state;
    kernel.kernelParams = args;
    assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddKernelNode(&later, graph, NULL, 0, &kernel),
                     cudaSuccess);
    args[2] = &by[0];
    assert_int_equal(cudaGraphAddKernelNode(&sooner, graph, NULL, 0, &kernel),
                     cudaSuccess);
    assert_int_equal(cudaGraphAddMemcpyNode1D(&copy, graph, &sooner, 1, &out, p, 4,
                                              cudaMemcpyDeviceToHost),
                     cudaSuccess);
    assert_int_equal(cudaGraphAddDependencies(graph, &copy, &later, NULL, 1),
                     cudaSuccess); /* added first, executed last */
    assert_int_equal(cudaGraphAddHostNode(&call, graph, &later, 1, &host), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphLaunch(exec, NULL), cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_float_equal(out, 2, 0);
    assert_float_equal(device_float(p), 6, 0);
    assert_int_equal(calls, 1);
    assert_int_equal(cudaGraphKernelNodeGetParams(later, &kernel), cudaSuccess);
    assert_ptr_equal(kernel.func, &scale_stub);
    assert_float_equal(*(float *)kernel.kernelParams[2], 3, 0);
    by[0] = 10;
    kernel.kernelParams = args;
    assert_int_equal(cudaGraphExecKernelNodeSetParams(exec, sooner, &kernel),
                     cudaSuccess);
    assert_int_equal(cudaGraphNodeSetEnabled(exec, later, 0), cudaSuccess);
    assert_int_equal(cudaGraphNodeSetEnabled(exec, call, 0), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphLaunch(exec, NULL), cudaSuccess);
    assert_float_equal(device_float(p), 60, 0);
    assert_int_equal(cudaGraphClone(&clone, graph), cudaSuccess);
    assert_int_equal(cudaGraphNodeFindInClone(&found, copy, clone), cudaSuccess);
    assert_int_equal(cudaGraphAddDependencies(clone, &found, &found, NULL, 1),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaGraphDestroyNode(found), cudaSuccess);
    assert_int_equal(cudaGraphExecUpdate(exec, clone, NULL),
                     cudaErrorGraphExecUpdateFailure);
    assert_int_equal(cudaGraphAddDependencies(graph, &call, &sooner, NULL, 1),
                     cudaSuccess); /* a cycle */
    assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphDestroy(clone), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    cudaGetLastError();
    cudaFree(p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capture),
        cmocka_unit_test(test_invalid_captures),
        cmocka_unit_test(test_graph_nodes),
    };

    return cmocka_run_group_tests(tests, runtime_start, runtime_end);
}
