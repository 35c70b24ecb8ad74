// warpjudge: 3d-subarray-sum
// expect: wrong_answer
// Adds the rectangle of the first depth only.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
sum(const int *input, int *output, int M, int K, int S_DEP, int S_ROW, int S_COL,
    int E_COL)
{
    __shared__ int tree[THREADS];
    int t = threadIdx.x;
    int depth = S_DEP + blockIdx.y, row = S_ROW + blockIdx.x;
    const int *cells = input + (depth * M + row) * K;

    tree[t] = 0;
    for (int c = S_COL + t; c <= E_COL; c += THREADS)
        tree[t] += cells[c];
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
solve(const int *input, int *output, int N, int M, int K, int S_DEP, int E_DEP, int S_ROW,
      int E_ROW, int S_COL, int E_COL)
{
    dim3 grid(E_ROW - S_ROW + 1, 1);

    sum<<<grid, THREADS>>>(input, output, M, K, S_DEP, S_ROW, S_COL, E_COL);
    cudaDeviceSynchronize();
}
