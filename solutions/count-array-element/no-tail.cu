// warpjudge: count-array-element
// expect: wrong_answer
// Four elements for each thread, but the last N % 4 are forgotten.
#include <cuda_runtime.h>

__global__ void
count4(const int4 *input, int *output, int quads, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < quads) {
        int4 x = input[i];
        int hits = (x.x == K) + (x.y == K) + (x.z == K) + (x.w == K);

        if (hits > 0)
            atomicAdd(output, hits);
    }
}

extern "C" void
solve(const int *input, int *output, int N, int K)
{
    int quads = N / 4;

    count4<<<quads / 256 + 1, 256>>>((const int4 *)input, output, quads, K);
}
