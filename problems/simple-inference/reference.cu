/*
 * The input times the transpose of the weights, plus the bias: summed in double, rounded
 * once.
 *
 * A block of 16 x 16 threads makes a tile of 128 x 64, each thread 8 x 4 of it in
 * registers. The slices become doubles when they are stored in shared memory; the next
 * ones are fetched while these are multiplied.
 */
#define TILE_ROWS 128
#define TILE_COLUMNS 64
#define DEPTH 8 /* of the inner dimension at a time */
#define OWN_ROWS 8
#define OWN_COLUMNS 4
#define THREADS 256
#define FETCH_A (TILE_ROWS * DEPTH / THREADS) /* elements that each thread fetches */
#define FETCH_B (TILE_COLUMNS * DEPTH / THREADS)

__global__ static void __launch_bounds__(THREADS, 2)
multiply(const float *__restrict__ input, const float *__restrict__ weight,
         const float *__restrict__ bias, float *__restrict__ output, int batch_size,
         int input_size, int output_size)
{
    /* a is transposed; 2: spreads the stores over banks */
    __shared__ double a[DEPTH][TILE_ROWS + 2];
    __shared__ double b[DEPTH][TILE_COLUMNS + 2];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE_ROWS,
              column0 = (int)blockIdx.x * TILE_COLUMNS;
    double sum[OWN_ROWS][OWN_COLUMNS] = {};
    float next_a[FETCH_A], next_b[FETCH_B];

    auto fetch = [&](int t0) {
        for (int k = 0; k < FETCH_A; k++) {
            int e = thread + THREADS * k, row = row0 + e / DEPTH, t = t0 + e % DEPTH;

            next_a[k] = row < batch_size && t < input_size
                            ? input[(size_t)row * input_size + t]
                            : 0.0f;
        }
        for (int k = 0; k < FETCH_B; k++) {
            int e = thread + THREADS * k, column = column0 + e / DEPTH,
                t = t0 + e % DEPTH;

            next_b[k] = t < input_size && column < output_size
                            ? weight[(size_t)column * input_size + t]
                            : 0.0f;
        }
    };

    fetch(0);
    for (int t0 = 0; t0 < input_size; t0 += DEPTH) {
        for (int k = 0; k < FETCH_A; k++) {
            int e = thread + THREADS * k;

            a[e % DEPTH][e / DEPTH] = (double)next_a[k];
        }
        for (int k = 0; k < FETCH_B; k++) {
            int e = thread + THREADS * k;

            b[e % DEPTH][e / DEPTH] = (double)next_b[k];
        }
        __syncthreads();
        fetch(t0 + DEPTH); /* beyond the end: zeros that nobody uses */
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            double x[OWN_ROWS], y[OWN_COLUMNS];

#pragma unroll
            for (int r = 0; r < OWN_ROWS; r++)
                x[r] = a[t][ty * OWN_ROWS + r];
#pragma unroll
            for (int c = 0; c < OWN_COLUMNS; c++)
                y[c] = b[t][tx + 16 * c];
#pragma unroll
            for (int r = 0; r < OWN_ROWS; r++)
#pragma unroll
                for (int c = 0; c < OWN_COLUMNS; c++)
                    sum[r][c] += x[r] * y[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN_ROWS; r++) {
        int row = row0 + ty * OWN_ROWS + r;

        for (int c = 0; c < OWN_COLUMNS; c++) {
            int column = column0 + tx + 16 * c;

            if (row < batch_size && column < output_size)
                output[(size_t)row * output_size + column] =
                    (float)(sum[r][c] + bias[column]);
        }
    }
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output,
      int batch_size, int input_size, int output_size)
{
    dim3 grid((unsigned)(output_size + TILE_COLUMNS - 1) / TILE_COLUMNS,
              (unsigned)(batch_size + TILE_ROWS - 1) / TILE_ROWS);

    multiply<<<grid, THREADS>>>(input, weight, bias, output, batch_size, input_size,
                                output_size);
}
