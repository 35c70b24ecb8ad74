// warpjudge: 2d-subarray-sum
// expect: accepted
// One block for each row: its threads stride over the columns, a tree adds up, one atomic
// follows.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
sum(const int *input, int *output, int M, int S_ROW, int S_COL, int E_COL)
{
    __shared__ int tree[THREADS];
    int t = threadIdx.x;
    const int *row = input + (S_ROW + (int)blockIdx.x) * M;

    tree[t] = 0;
    for (int j = S_COL + t; j <= E_COL; j += THREADS)
        tree[t] += row[j];
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

    sum<<<E_ROW - S_ROW + 1, THREADS>>>(input, output, M, S_ROW, S_COL, E_COL);
    cudaDeviceSynchronize();
}
