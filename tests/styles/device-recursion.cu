// warpjudge: 3d-subarray-sum
// A device function that calls itself to halve what a thread adds up.
__device__ int sum_of(const int *values, int count)
{
    if (count <= 4) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += values[i];
        return sum;
    }
    return sum_of(values, count / 2) + sum_of(values + count / 2, count - count / 2);
}

__global__ void lines(const int *input, int *output, int M, int K, int S_DEP, int S_ROW, int S_COL, int rows, int count,
                      int width)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;

    if (line >= count)
        return;
    const int depth = S_DEP + line / rows, row = S_ROW + line % rows;
    atomicAdd(output, sum_of(input + ((size_t)depth * M + row) * K + S_COL, width));
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K, int S_DEP, int E_DEP, int S_ROW, int E_ROW, int S_COL,
      int E_COL)
{
    const int rows = E_ROW - S_ROW + 1, count = (E_DEP - S_DEP + 1) * rows;

    cudaMemset(output, 0, sizeof(int));
    lines<<<(count + 63) / 64, 64>>>(input, output, M, K, S_DEP, S_ROW, S_COL, rows, count, E_COL - S_COL + 1);
}
