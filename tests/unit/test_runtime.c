// links: runtime_gpu runtime gpu gpu_owner text exec ptx
/* The CUDA runtime library: launches, copies, memory, streams, events and modules. */
#include "../fixtures/runtime_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

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
    assert_int_equal(
        cudaLibraryLoadData(&library, scale_ptx, NULL, NULL, 0, NULL, NULL, 0),
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
    assert_int_equal(gpu_fault(runtime_gpu.gpu, runtime_gpu.client, &fault), 0);
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
        cmocka_unit_test(test_registered_memory),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_sticky_error),
    };

    return cmocka_run_group_tests(tests, runtime_start, runtime_end);
}
