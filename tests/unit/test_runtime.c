// links: runtime gpu gpu_owner exec ptx
/*
 * The CUDA runtime library against an emulated GPU of its own, called as nvcc's host code
 * calls it: a fat binary and its kernels are registered by hand. One device for all
 * tests; the one that breaks it comes last.
 */
#include "emulator/gpu/gpu.h"
#include "emulator/gpu/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream);

/* scale(float *p, int n, float by): p[i] *= by * factor */
static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".const .align 4 .f32 factor = 0f3F800000;\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n, .param .f32 by)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nld.param.f32 %f1, [by];\n"
    "ld.const.f32 %f3, [factor];\nmul.f32 %f1, %f1, %f3;\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.s32 %p1, %r5, %r1;\n@%p1 bra $done;\n"
    "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.s32 %rd3, %r5, 4;\nadd.s64 %rd3, %rd2, "
    "%rd3;\n"
    "ld.global.f32 %f2, [%rd3];\nmul.f32 %f2, %f2, %f1;\nst.global.f32 [%rd3], %f2;\n"
    "$done:\nret;\n}\n";

static struct {
    pid_t pid;
    struct gpu *gpu;
    uint32_t client;
} device;

static char scale_stub,
    factor_shadow; /* addresses that stand for the kernel, the variable */

/* What nvcc's constructor does: a container with one plain PTX entry (gpu/container.c
 * tells the layout), registered with what is in it. */
static void
register_module(void)
{
    static struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes;
        unsigned char entry[64];
        char text[sizeof ptx];
    } container = {0xBA55ED50u, 1, 16, 64 + sizeof ptx, {1, 0, 1, 1, 64}, {0}};
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, &container, NULL};
    uint64_t payload = sizeof ptx;
    uint32_t arch = 80;
    void **handle;

    memcpy(container.entry + 8, &payload, sizeof payload);
    memcpy(container.entry + 28, &arch, sizeof arch);
    memcpy(container.text, ptx, sizeof ptx);
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &scale_stub, NULL, "scale", -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterVar(handle, &factor_shadow, NULL, "factor", 0, 4, 1, 0);
}

static int
start_device(void **state)
{
    struct gpu_options options = {.memory_bytes = 64 << 20, .threads = 1};
    char number[16];
    int pair[2], fd;

    (void)state;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    device.pid = fork();
    if (device.pid == 0) {
        close(pair[0]);
        _exit(server_run(pair[1]) == 0 ? 0 : 1);
    }
    close(pair[1]);
    device.gpu = gpu_connect(pair[0], &options);
    fd = device.gpu != NULL ? gpu_new_client(device.gpu, &device.client) : -1;
    if (fd < 0)
        return -1;
    snprintf(number, sizeof number, "%d", fd);
    setenv("WARPJUDGE_GPU_FD", number, 1);
    register_module();
    return 0;
}

static int
end_device(void **state)
{
    (void)state;
    gpu_close(device.gpu);
    return waitpid(device.pid, NULL, 0) == device.pid ? 0 : -1;
}

/* scale<<<blocks, threads, 0, stream>>>(p, n, by), as nvcc writes it. */
static void
scale_in(cudaStream_t stream, unsigned blocks, unsigned threads, float *p, int n,
         float by)
{
    dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    void *args[] = {&p, &n, &by};
    cudaKernel_t kernel = NULL;
    cudaStream_t to;
    size_t shared;

    if (__cudaPushCallConfiguration(grid, block, 0, stream) != 0)
        return;
    __cudaGetKernel(&kernel, &scale_stub);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &to),
                     cudaSuccess);
    __cudaLaunchKernel(kernel, grid, block, args, shared, to);
}

static float *
device_floats(const float *values, size_t count)
{
    float *p = NULL;

    assert_int_equal(cudaMalloc((void **)&p, count * sizeof *p), cudaSuccess);
    assert_int_equal(cudaMemcpy(p, values, count * sizeof *p, cudaMemcpyHostToDevice),
                     cudaSuccess);
    return p;
}

static float
device_float(const float *p)
{
    float value = 0;

    assert_int_equal(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    return value;
}

/* --- tests -------------------------------------------------------------------------- */

static void
test_launch_and_copy(void **state)
{
    enum { N = 1000 };
    float values[N], *p;

    (void)state;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    p = device_floats(values, N);
    scale_in(NULL, 8, 128, p, N, 3);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(cudaMemcpy(values, p, sizeof values, cudaMemcpyDefault),
                     cudaSuccess);
    for (int i = 0; i < N; i++)
        assert_float_equal(values[i], 3 * (float)i, 0);
    assert_int_equal(cudaFree(p), cudaSuccess);
    assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void
test_bad_launches(void **state)
{
    static const struct {
        unsigned blocks, threads;
        cudaError_t error;
    } cases[] = {
        {1, 1025, cudaErrorInvalidValue},
        {0, 32, cudaErrorInvalidConfiguration},
        {1, 0, cudaErrorInvalidConfiguration},
        {0x80000000u, 32, cudaErrorInvalidConfiguration},
    };
    dim3 one = {1, 1, 1};
    float value = 2, *p = device_floats(&value, 1);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scale_in(NULL, cases[i].blocks, cases[i].threads, p, 1, 2);
        assert_int_equal(cudaPeekAtLastError(), cases[i].error);
        assert_int_equal(cudaGetLastError(), cases[i].error);
        assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    }
    assert_int_equal(cudaLaunchKernel(&value, one, one, NULL, 0, NULL),
                     cudaErrorInvalidDeviceFunction);
    assert_int_equal(cudaLaunchKernel(&scale_stub, one, one, NULL, 0, NULL),
                     cudaErrorInvalidValue);
    assert_float_equal(device_float(p), 2, 0); /* none of them ran */
    cudaGetLastError();
    cudaFree(p);
}

static void
test_symbols(void **state)
{
    float value = 10, twice = 2, read = 0, *p = device_floats(&value, 1);
    size_t bytes;

    (void)state;
    assert_int_equal(cudaGetSymbolSize(&bytes, &factor_shadow), cudaSuccess);
    assert_int_equal(bytes, 4);
    assert_int_equal(
        cudaMemcpyToSymbol(&factor_shadow, &twice, 4, 0, cudaMemcpyHostToDevice),
        cudaSuccess);
    scale_in(NULL, 1, 1, p, 1, 1);
    assert_float_equal(device_float(p), 20, 0);
    assert_int_equal(
        cudaMemcpyFromSymbol(&read, &factor_shadow, 4, 0, cudaMemcpyDeviceToHost),
        cudaSuccess);
    assert_float_equal(read, 2, 0);
    assert_int_equal(
        cudaMemcpyToSymbol(&factor_shadow, &twice, 4, 1, cudaMemcpyHostToDevice),
        cudaErrorInvalidValue);
    assert_int_equal(cudaGetSymbolSize(&bytes, &value), cudaErrorInvalidSymbol);
    read = 1;
    cudaMemcpyToSymbol(&factor_shadow, &read, 4, 0, cudaMemcpyHostToDevice);
    cudaGetLastError();
    cudaFree(p);
}

static void
test_rows(void **state)
{
    int image[12][10], column[12];
    size_t pitch;
    char *p;

    (void)state;
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 10; x++)
            image[y][x] = 10 * y + x;
    assert_int_equal(cudaMallocPitch((void **)&p, &pitch, sizeof image[0], 12),
                     cudaSuccess);
    assert_true(pitch >= sizeof image[0]);
    assert_int_equal(cudaMemcpy2D(p, pitch, image, sizeof image[0], sizeof image[0], 12,
                                  cudaMemcpyHostToDevice),
                     cudaSuccess);
    assert_int_equal(cudaMemset2D(p + 4, pitch, 0xff, 4, 12), cudaSuccess);
    for (int x = 0; x < 10; x++) {
        assert_int_equal(
            cudaMemcpy2D(column, 4, p + 4 * x, pitch, 4, 12, cudaMemcpyDeviceToHost),
            cudaSuccess);
        for (int y = 0; y < 12; y++)
            assert_int_equal(column[y], x == 1 ? -1 : 10 * y + x);
    }
    assert_int_equal(cudaMemcpy2D(p, 4, image, 40, 40, 12, cudaMemcpyHostToDevice),
                     cudaErrorInvalidPitchValue);
    cudaGetLastError();
    cudaFree(p);
}

static void
test_shared_memory(void **state)
{
    struct cudaPointerAttributes a;
    float *managed, *pinned, value = 1, *p = device_floats(&value, 1);
    void *seen;

    (void)state;
    assert_int_equal(cudaMallocManaged((void **)&managed, 8, cudaMemAttachGlobal),
                     cudaSuccess);
    assert_int_equal(cudaMallocHost((void **)&pinned, 8), cudaSuccess);
    managed[1] = 7;
    scale_in(NULL, 1, 32, managed, 2, 2);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_float_equal(managed[1], 14, 0);
    pinned[0] = 5;
    assert_int_equal(cudaMemcpyAsync(p, pinned, 4, cudaMemcpyHostToDevice, NULL),
                     cudaSuccess);
    assert_float_equal(device_float(p), 5, 0);
    assert_int_equal(cudaHostGetDevicePointer(&seen, pinned, 0), cudaSuccess);
    scale_in(NULL, 1, 1, seen, 1, 10);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_float_equal(pinned[0], 50, 0);
    assert_int_equal(cudaPointerGetAttributes(&a, pinned), cudaSuccess);
    assert_int_equal(a.type, cudaMemoryTypeHost);
    assert_int_equal(cudaPointerGetAttributes(&a, managed), cudaSuccess);
    assert_int_equal(a.type, cudaMemoryTypeManaged);
    assert_int_equal(cudaPointerGetAttributes(&a, p), cudaSuccess);
    assert_int_equal(a.type, cudaMemoryTypeDevice);
    assert_int_equal(cudaPointerGetAttributes(&a, &value), cudaSuccess);
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    assert_int_equal(cudaFreeHost(pinned), cudaSuccess);
    assert_int_equal(cudaFree(managed), cudaSuccess);
    cudaFree(p);
}

static void
add_one(void *data)
{
    ++*(int *)data;
}

static void
test_streams_and_events(void **state)
{
    float value = 1, ms = -1, *p = device_floats(&value, 1);
    cudaEvent_t start, end;
    cudaStream_t stream;
    int calls = 0;

    (void)state;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                     cudaSuccess);
    assert_int_equal(cudaEventCreate(&start), cudaSuccess);
    assert_int_equal(cudaEventCreate(&end), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&ms, start, end),
                     cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaEventRecord(start, stream), cudaSuccess);
    scale_in(stream, 1, 1, p, 1, 4);
    assert_int_equal(cudaEventRecord(end, stream), cudaSuccess);
    assert_int_equal(cudaLaunchHostFunc(stream, add_one, &calls), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_int_equal(calls, 1);
    assert_int_equal(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
    assert_true(ms > 0);
    assert_float_equal(device_float(p), 4, 0);
    assert_int_equal(cudaEventDestroy(start), cudaSuccess);
    assert_int_equal(cudaEventDestroy(end), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    cudaFree(p);
}

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

/* A kernel reaches the program's own memory where it lies, also in the middle of a page.
 */
static void
test_registered_memory(void **state)
{
    enum { N = 3000, FIRST = 10, COUNT = 1000 };
    /* Whole pages of its own: what shares a page with it moves, too, redzones as well. */
    float *values = mmap(NULL, N * sizeof *values, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(values != MAP_FAILED);
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    assert_int_equal(cudaHostRegister(values + FIRST, COUNT * 4, cudaHostRegisterMapped),
                     cudaSuccess);
    assert_int_equal(cudaHostRegister(values + FIRST, 4, 0),
                     cudaErrorHostMemoryAlreadyRegistered);
    scale_in(NULL, 8, 128, values + FIRST, COUNT, 2);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_float_equal(values[FIRST], 2 * FIRST, 0);
    assert_int_equal(cudaHostUnregister(values + FIRST), cudaSuccess);
    assert_int_equal(cudaHostUnregister(values + FIRST),
                     cudaErrorHostMemoryNotRegistered);
    for (int i = 0; i < N; i++)
        assert_float_equal(values[i],
                           (float)(i >= FIRST && i < FIRST + COUNT ? 2 * i : i), 0);
    munmap(values, N * sizeof *values);
    cudaGetLastError();
}

static void
test_library(void **state)
{
    cudaLibrary_t library;
    cudaKernel_t kernel, again;
    float value = 3, by = 2, *p = device_floats(&value, 1);
    dim3 one = {1, 1, 1};
    int n = 1;
    void *args[] = {&p, &n, &by}, *factor;
    size_t bytes;

    (void)state;
    assert_int_equal(
        cudaLibraryLoadData(&library, "no PTX", NULL, NULL, 0, NULL, NULL, 0),
        cudaErrorInvalidPtx);
    assert_int_equal(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0),
                     cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&kernel, library, "scale"), cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&again, library, "scale"), cudaSuccess);
    assert_ptr_equal(kernel, again);
    assert_int_equal(cudaLibraryGetKernel(&again, library, "nothing"),
                     cudaErrorSymbolNotFound);
    assert_int_equal(cudaLibraryGetGlobal(&factor, &bytes, library, "factor"),
                     cudaSuccess);
    assert_int_equal(bytes, 4);
    assert_int_equal(cudaLaunchKernel((void *)kernel, one, one, args, 0, NULL),
                     cudaSuccess);
    assert_float_equal(device_float(p), 6, 0);
    assert_int_equal(cudaLibraryUnload(library), cudaSuccess);
    assert_int_not_equal(cudaLaunchKernel((void *)kernel, one, one, args, 0, NULL),
                         cudaSuccess);
    assert_float_equal(device_float(p), 6, 0);
    cudaGetLastError();
    cudaFree(p);
}

static void
test_questions(void **state)
{
    struct cudaFuncAttributes attributes;
    struct cudaDeviceProp properties;
    size_t free_bytes, total;
    int value;

    (void)state;
    assert_int_equal(cudaGetDeviceCount(&value), cudaSuccess);
    assert_int_equal(value, 1);
    assert_int_equal(cudaSetDevice(1), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    assert_int_equal(properties.warpSize, 32);
    assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0),
                     cudaSuccess);
    assert_int_equal(value, properties.multiProcessorCount);
    assert_int_equal(cudaFuncGetAttributes(&attributes, &scale_stub), cudaSuccess);
    assert_int_equal(attributes.maxThreadsPerBlock, 1024);
    assert_int_equal(cudaFuncSetAttribute(&scale_stub,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          1 << 20),
                     cudaErrorInvalidValue);
    assert_int_equal(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, &scale_stub, 1024, 0),
        cudaSuccess);
    assert_int_equal(value, 2);
    assert_int_equal(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
    assert_int_equal(total, 64 << 20);
    assert_int_equal(cudaMalloc((void **)&properties, 65 << 20),
                     cudaErrorMemoryAllocation);
    assert_string_equal(cudaGetErrorName(cudaErrorMemoryAllocation),
                        "cudaErrorMemoryAllocation");
    assert_string_equal(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    cudaGetLastError();
}

static void
test_sticky_error(void **state)
{
    float value = 1, *p = device_floats(&value, 1);
    struct fault fault;

    (void)state;
    scale_in(NULL, 1, 32, p + 4096, 32, 1);            /* far beyond the allocation */
    assert_int_equal(cudaGetLastError(), cudaSuccess); /* not known yet */
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
    assert_int_equal(cudaGetLastError(), cudaSuccess); /* forgets it, but: */
    assert_int_equal(cudaMalloc((void **)&p, 4), cudaErrorIllegalAddress);
    assert_int_equal(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost),
                     cudaErrorIllegalAddress);
    assert_int_equal(gpu_fault(device.gpu, device.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_ILLEGAL_ADDRESS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch_and_copy),
        cmocka_unit_test(test_bad_launches),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_streams_and_events),
        cmocka_unit_test(test_capture),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_invalid_captures),
        cmocka_unit_test(test_graph_nodes),
        cmocka_unit_test(test_registered_memory),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_sticky_error),
    };

    return cmocka_run_group_tests(tests, start_device, end_device);
}
