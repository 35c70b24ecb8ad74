// warpjudge: count-2d-array-element
// expect: wrong_answer
// One block of 1024 threads that does not go on: cells beyond the first 1024 are not
// seen.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *output, int cells, int K)
{
    if (threadIdx.x < cells && input[threadIdx.x] == K)
        atomicAdd(output, 1);
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K)
{
    count<<<1, 1024>>>(input, output, N * M, K);
}
