/*
 * Each sum in double, rounded once.
 *
 * A block makes a tile of 32 x 32. What it needs of the image and the kernel becomes doubles
 * in shared memory. Each thread makes OWN outputs of a column, for which it keeps what it
 * reads of the column in registers.
 */
#define TILE 32
#define OWN 8
#define WARPS (TILE / OWN)
#define MOST 31        /* rows and columns of the kernel */
#define WEIGHTS 32     /* the same as a multiple of OWN */
#define ROWS (TILE + WEIGHTS)     /* of the image; the last are read, but not used */
#define COLUMNS (TILE + MOST - 1) /* of the image */

__global__ static void __launch_bounds__(32 * WARPS)
convolve(const float *__restrict__ input, const float *__restrict__ kernel,
         float *__restrict__ output, int input_rows, int input_cols, int kernel_rows,
         int kernel_cols)
{
    __shared__ double image[ROWS][COLUMNS];
    __shared__ double weight[MOST][WEIGHTS]; /* transposed */
    const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    const int row0 = (int)blockIdx.y * TILE, column0 = (int)blockIdx.x * TILE;
    const int own_row = (int)threadIdx.y * OWN, x = (int)threadIdx.x;
    double sum[OWN] = {};

    for (int r = (int)threadIdx.y; r < ROWS; r += WARPS)
        for (int c = x; c < TILE + kernel_cols - 1; c += 32) {
            const int row = row0 + r, column = column0 + c;

            image[r][c] = row < input_rows && column < input_cols
                              ? (double)input[row * input_cols + column]
                              : 0;
        }
    for (int m = (int)threadIdx.y; m < WEIGHTS; m += WARPS)
        if (x < kernel_cols)
            weight[x][m] = m < kernel_rows ? (double)kernel[m * kernel_cols + x] : 0;
    __syncthreads();
    for (int n = 0; n < kernel_cols; n++) {
        double window[2 * OWN];

#pragma unroll
        for (int r = 0; r < OWN; r++)
            window[OWN + r] = image[own_row + r][x + n];
        for (int m0 = 0; m0 < kernel_rows; m0 += OWN) {
#pragma unroll
            for (int r = 0; r < OWN; r++) {
                window[r] = window[OWN + r];
                window[OWN + r] = image[own_row + m0 + OWN + r][x + n];
            }
#pragma unroll
            for (int m = 0; m < OWN; m++) {
                if (m0 + m >= kernel_rows)
                    break;
                const double w = weight[n][m0 + m];

#pragma unroll
                for (int r = 0; r < OWN; r++)
                    sum[r] += window[m + r] * w;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < OWN; r++)
        if (row0 + own_row + r < rows && column0 + x < cols)
            output[(row0 + own_row + r) * cols + column0 + x] = (float)sum[r];
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 grid((unsigned)(input_cols - kernel_cols) / TILE + 1,
              (unsigned)(input_rows - kernel_rows) / TILE + 1);

    convolve<<<grid, dim3(32, WARPS)>>>(input, kernel, output, input_rows, input_cols,
                                        kernel_rows, kernel_cols);
}
