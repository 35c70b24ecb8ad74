// warpjudge: 2d-convolution
// expect: accepted
// idea: A weight that a thread has loaded serves the outputs of one column only. Let the thread
//   make two columns, so that each weight serves twice as many products.
// Two columns for each thread, 32 apart: one weight serves sixteen products, so that three loads
// from shared memory stand against sixteen multiplications, not two against eight.
// H200: 470 µs, 1.17 times as fast as step 3
#include <cuda_runtime.h>

#define LARGEST 32 // a multiple of EACH
#define WARP 32
#define ACROSS (2 * WARP) // outputs of a block
#define DOWN 64
#define WIDTH (ACROSS + 32) // columns of the image that they need, and one more
#define EACH 8 // outputs of a thread in each of its columns
#define THREADS (WARP * DOWN / EACH)

__global__ void __launch_bounds__(THREADS)
convolve(const float *__restrict__ input, const float *__restrict__ kernel, float *output,
         int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    __shared__ float tile[DOWN + LARGEST - 1][WIDTH];
    __shared__ float weights[LARGEST * LARGEST];
    int output_rows = input_rows - kernel_rows + 1,
        output_cols = input_cols - kernel_cols + 1;
    int x = threadIdx.x, y = threadIdx.y * EACH;
    int j0 = blockIdx.x * ACROSS, i0 = blockIdx.y * DOWN;
    int rows = (kernel_rows + EACH - 1) / EACH * EACH;
    float sum[EACH] = {0.0f}, sum2[EACH] = {0.0f};

    for (int k = threadIdx.y * WARP + x; k < rows * kernel_cols; k += THREADS)
        weights[k] = k < kernel_rows * kernel_cols ? kernel[k] : 0.0f;
#pragma unroll 4
    for (int r = threadIdx.y; r < DOWN + rows - 1; r += DOWN / EACH) {
        const float *__restrict__ row = input + min(i0 + r, input_rows - 1) * input_cols;

        for (int c = 0; c < WIDTH; c += WARP) // beyond the end the last, which counts for nothing
            tile[r][c + x] = row[min(j0 + c + x, input_cols - 1)];
    }
    __syncthreads();
    for (int n = 0; n < kernel_cols; n++) {
        float column[EACH], column2[EACH];

        for (int e = 0; e < EACH - 1; e++) {
            column[e] = tile[y + e][x + n];
            column2[e] = tile[y + e][x + WARP + n];
        }
        for (int m0 = 0; m0 < rows; m0 += EACH) {
#pragma unroll
            for (int m = 0; m < EACH; m++) {
                float weight = weights[(m0 + m) * kernel_cols + n];

                column[(m + EACH - 1) % EACH] = tile[y + m0 + m + EACH - 1][x + n];
                column2[(m + EACH - 1) % EACH] = tile[y + m0 + m + EACH - 1][x + WARP + n];
                for (int e = 0; e < EACH; e++) {
                    sum[e] += column[(m + e) % EACH] * weight;
                    sum2[e] += column2[(m + e) % EACH] * weight;
                }
            }
        }
    }
    for (int e = 0; e < EACH && i0 + y + e < output_rows; e++) {
        float *row = output + (i0 + y + e) * output_cols + j0 + x;

        if (j0 + x < output_cols)
            row[0] = sum[e];
        if (j0 + x + WARP < output_cols)
            row[WARP] = sum2[e];
    }
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 block(WARP, DOWN / EACH);
    dim3 grid((input_cols - kernel_cols) / ACROSS + 1, (input_rows - kernel_rows) / DOWN + 1);

    convolve<<<grid, block>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                              kernel_cols);
}
