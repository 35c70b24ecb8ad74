/* The sum, exactly: a tree for each block, then one integer addition each. */
#define THREADS 256

__global__ static void
add_part(const int *input, int *output, int N, int M, int S_ROW, int E_ROW, int S_COL,
         int E_COL)
{
    __shared__ int tree[THREADS];
    const size_t step = (size_t)gridDim.x * THREADS,
                 count = (size_t)(E_ROW - S_ROW + 1) * (E_COL - S_COL + 1);
    int sum = 0;

    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += step)
        sum += input[(S_ROW + i / (E_COL - S_COL + 1)) * M + S_COL +
                     i % (E_COL - S_COL + 1)];
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(output, tree[0]);
}

extern "C" void
solve(const int *input, int *output, int N, int M, int S_ROW, int E_ROW, int S_COL,
      int E_COL)
{
    cudaMemset(output, 0, sizeof *output);
    add_part<<<2048, THREADS>>>(input, output, N, M, S_ROW, E_ROW, S_COL, E_COL);
}
