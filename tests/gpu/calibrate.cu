// One solution's solve() at one size, timed by CUDA events: on a GPU what it takes there, on
// the emulated GPU what the model says. Built by tests/gpu/calibrate, once a solution, with
// -DPROBLEM_<slug> and linked with it. `PROGRAM FLUSH-BYTES REPEATS SIZE...` prints the median in ns.
// With a flush it also prints the median of calls that find the cache full of lines that need not be
// written back.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
                                                                                         \
        if (status != cudaSuccess) {                                                     \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));              \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

// What a solution's cudaDeviceSynchronize() is (calibrate says why).
extern "C" cudaError_t
no_wait(void)
{
    return cudaSuccess;
}

static unsigned state = 1;

static unsigned
draw()
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

template <typename T, typename F>
static T *
buffer(size_t count, F value)
{
    std::vector<T> host(count);
    T *device;

    for (T &v : host)
        v = value();
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

[[maybe_unused]] static float
unit()
{
    return (float)draw() / (1 << 23) - 1;
}

static int size[4];

#if defined PROBLEM_vector_addition
extern "C" void solve(const float *A, const float *B, float *C, int N);
static float *a, *b, *c;
static void
prepare()
{
    a = buffer<float>(size[0], unit);
    b = buffer<float>(size[0], unit);
    c = buffer<float>(size[0], unit);
}
static void
call()
{
    solve(a, b, c, size[0]);
}
#elif defined PROBLEM_matrix_multiplication
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K);
static float *a, *b, *c;
static void
prepare()
{
    a = buffer<float>((size_t)size[0] * size[1], unit);
    b = buffer<float>((size_t)size[1] * size[2], unit);
    c = buffer<float>((size_t)size[0] * size[2], unit);
}
static void
call()
{
    solve(a, b, c, size[0], size[1], size[2]);
}
#elif defined PROBLEM_reduction
extern "C" void solve(const float *input, float *output, int N);
static float *a, *c;
static void
prepare()
{
    a = buffer<float>(size[0], unit);
    c = buffer<float>(1, unit);
}
static void
call()
{
    solve(a, c, size[0]);
}
#elif defined PROBLEM_matrix_transpose
extern "C" void solve(const float *input, float *output, int rows, int cols);
static float *a, *c;
static void
prepare()
{
    a = buffer<float>((size_t)size[0] * size[1], unit);
    c = buffer<float>((size_t)size[0] * size[1], unit);
}
static void
call()
{
    solve(a, c, size[0], size[1]);
}
#elif defined PROBLEM_softmax || defined PROBLEM_prefix_sum
extern "C" void solve(const float *input, float *output, int N);
static float *a, *c;
static void
prepare()
{
    a = buffer<float>(size[0], unit);
    c = buffer<float>(size[0], unit);
}
static void
call()
{
    solve(a, c, size[0]);
}
#elif defined PROBLEM_histogramming
extern "C" void solve(const int *input, int *histogram, int N, int num_bins);
static int *a, *c;
static void
prepare()
{
    a = buffer<int>(size[0], [] { return (int)(draw() % (unsigned)size[1]); });
    c = buffer<int>(size[1], [] { return 0; });
}
static void
call()
{
    solve(a, c, size[0], size[1]);
}
#elif defined PROBLEM_int8_quantized_matmul
extern "C" void solve(const signed char *A, const signed char *B, signed char *C, int M, int N,
                      int K, float scale_A, float scale_B, float scale_C, int zero_point_A,
                      int zero_point_B, int zero_point_C);
static signed char *a, *b, *c;
static void
prepare()
{
    auto byte = [] { return (signed char)draw(); };

    a = buffer<signed char>((size_t)size[0] * size[2], byte);
    b = buffer<signed char>((size_t)size[2] * size[1], byte);
    c = buffer<signed char>((size_t)size[0] * size[1], byte);
}
static void
call()
{
    solve(a, b, c, size[0], size[1], size[2], 0.1f, 0.1f, 20.01f, 0, 0, 0);
}
#else
#error "which problem?"
#endif

/* Reads everything: what the cache holds then is not dirty. */
[[maybe_unused]] __global__ static void
read_all(const uint4 *from, size_t words, unsigned *out)
{
    unsigned sum = 0;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
         i += (size_t)gridDim.x * blockDim.x)
        sum += from[i].x;
    if (sum == 1)
        *out = sum;
}

static void
flush(void *buffer, size_t bytes, int value, bool clean)
{
    CHECK(cudaMemset(buffer, value, bytes));
    if (clean)
        read_all<<<1024, 256>>>((const uint4 *)buffer, bytes / 16, (unsigned *)buffer);
}

/* The median in ns of cold calls: the cache is full of a buffer that was written, or, if
 * clean, of one that was read. */
static double
measure(int repeats, void *buffer, size_t bytes, bool clean)
{
    std::vector<float> times;
    cudaEvent_t begin, end;

    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < repeats + (repeats > 1); i++) {
        float ms;

        if (buffer != NULL)
            flush(buffer, bytes, i, clean);
        /* While that runs the host is ahead: what a launch costs it is in no event. */
        CHECK(cudaEventRecord(begin));
        call();
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i > 0 || repeats == 1)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e6;
}

int
main(int argc, char **argv)
{
    size_t flush_bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    int repeats = argc > 2 ? atoi(argv[2]) : 0;
    void *buffer = NULL;

    if (repeats < 1 || argc < 4 || argc > 7) {
        fprintf(stderr, "usage: %s FLUSH-BYTES REPEATS SIZE...\n", argv[0]);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        size[i - 3] = atoi(argv[i]);
    prepare();
    if (flush_bytes > 0)
        CHECK(cudaMalloc(&buffer, flush_bytes));
    printf("%.0f", measure(repeats, buffer, flush_bytes, false));
    if (flush_bytes > 0)
        printf(" %.0f", measure(repeats, buffer, flush_bytes, true));
    printf("\n");
    return 0;
}
