/* A block for 32 columns, a warp for a row of them: sums in double, each output rounded
 * once. */
#define COLUMNS 32
#define ROWS 32

/* The sum over the block's rows, in every thread of the column. */
__device__ static double
column_sum(double value)
{
    __shared__ double tree[ROWS][COLUMNS];
    const unsigned x = threadIdx.x, y = threadIdx.y;

    tree[y][x] = value;
    __syncthreads();
    for (unsigned half = ROWS / 2; half > 0; half /= 2) {
        if (y < half)
            tree[y][x] += tree[y + half][x];
        __syncthreads();
    }
    value = tree[0][x];
    __syncthreads();
    return value;
}

__global__ static void
normalize(const float *input, const float *gamma, const float *beta, float *output, int N,
          int C, double eps)
{
    const int j = (int)(blockIdx.x * COLUMNS + threadIdx.x), first = (int)threadIdx.y;
    const size_t width = (size_t)C;
    const int rows = j < C ? N : 0; /* none for threads beside the matrix */
    double sum = 0, squares = 0, mean, variance;

    for (int i = first; i < rows; i += ROWS)
        sum += input[i * width + j];
    mean = column_sum(sum) / N;
    for (int i = first; i < rows; i += ROWS)
        squares += (input[i * width + j] - mean) * (input[i * width + j] - mean);
    variance = column_sum(squares) / N;
    for (int i = first; i < rows; i += ROWS)
        output[i * width + j] =
            (float)((input[i * width + j] - mean) * (gamma[j] / sqrt(variance + eps)) +
                    beta[j]);
}

extern "C" void
solve(const float *input, const float *gamma, const float *beta, float *output, int N,
      int C, float eps)
{
    dim3 block(COLUMNS, ROWS);
    unsigned blocks = (unsigned)(C + COLUMNS - 1) / COLUMNS;

    normalize<<<blocks, block>>>(input, gamma, beta, output, N, C, eps);
}
