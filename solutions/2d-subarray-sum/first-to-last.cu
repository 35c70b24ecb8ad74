// warpjudge: 2d-subarray-sum
// expect: wrong_answer
// Adds everything that lies in memory between the first and the last cell: right for one
// row or whole rows only.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
sum(const int *input, int *output, int count)
{
    __shared__ int tree[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    tree[t] = i < count ? input[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(output, tree[0]);
}

extern "C" void
solve(const int *input, int *output, int N, int M, int S_ROW, int E_ROW, int S_COL,
      int E_COL)
{

    int first = S_ROW * M + S_COL, count = E_ROW * M + E_COL - first + 1;

    sum<<<count / THREADS + 1, THREADS>>>(input + first, output, count);
}
