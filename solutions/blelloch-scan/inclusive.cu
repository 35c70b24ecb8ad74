// warpjudge: blelloch-scan
// expect: wrong_answer
// An inclusive scan: each element counts itself. One block goes over the vector.
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
scan(const unsigned *input, unsigned *output, int N)
{
    __shared__ unsigned sums[THREADS];
    int t = threadIdx.x;
    unsigned before = 0;

    for (int at = 0; at < N; at += THREADS) {
        sums[t] = at + t < N ? input[at + t] : 0;
        __syncthreads();
        for (int reach = 1; reach < THREADS; reach *= 2) {
            unsigned left = t >= reach ? sums[t - reach] : 0;

            __syncthreads();
            sums[t] += left;
            __syncthreads();
        }
        if (at + t < N)
            output[at + t] = before + sums[t];
        before += sums[THREADS - 1];
        __syncthreads();
    }
}

extern "C" void
solve(const unsigned *input, unsigned *output, int N)
{
    scan<<<1, THREADS>>>(input, output, N);
}
