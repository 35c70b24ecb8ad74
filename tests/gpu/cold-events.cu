/*
 * The time of one solve() by CUDA events in one process, caches cold: flush the L2, event,
 * call, event (NVBench's method). What the judge's own times are compared with in
 * docs/measurements.md. Built with the solution's file included:
 *     nvcc -arch=sm_90a -DSOLUTION='"vector-addition/3-coalesced.cu"' -DELEMENTS=25000000 \
 *          -I solutions cold-events.cu
 * for solutions of the form solve(a, b, c, N) (default) or solve(in, out, N) (-DUNARY).
 */
#include SOLUTION

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t error = (call);                                                      \
        if (error != cudaSuccess) {                                                      \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));               \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

int
main()
{
    const int n = ELEMENTS, repeats = 50;
    const size_t flush_bytes = size_t{256} << 20;
    float *a, *b, *c;
    char *flush;
    cudaEvent_t begin, end;
    std::vector<float> times;
    std::vector<float> host(n);

    for (int i = 0; i < n; i++)
        host[i] = (float)(i % 1000) * 0.25f;
    CHECK(cudaMalloc(&a, n * sizeof *a));
    CHECK(cudaMalloc(&b, n * sizeof *b));
    CHECK(cudaMalloc(&c, n * sizeof *c));
    CHECK(cudaMalloc(&flush, flush_bytes));
    CHECK(cudaMemcpy(a, host.data(), n * sizeof *a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host.data(), n * sizeof *b, cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = -5; i < repeats; i++) {
        float ms;

        CHECK(cudaMemset(flush, i, flush_bytes));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(begin));
#ifdef UNARY
        solve(a, c, n);
#else
        solve(a, b, c, n);
#endif
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0)
            times.push_back(ms * 1000);
    }
    std::sort(times.begin(), times.end());
    printf("%s N=%d: cold events median %.1f us (%.1f to %.1f)\n", SOLUTION, n,
           times[repeats / 2], times[0], times[repeats - 1]);
    return 0;
}
