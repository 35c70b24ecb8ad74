// warpjudge: 2d-convolution
// expect: accepted
// idea: Each product costs a load of an element of the image and a load of a weight. Let a thread
//   make several outputs of a column, and keep the elements that these share in registers.
// Eight outputs of a column for each thread: eight elements of the image stay in registers and move
// up by one for each row of the kernel, so that one load and one weight serve eight products.
// H200: 550 µs, 4.2 times as fast as step 2
#include <cuda_runtime.h>

#define LARGEST 31
#define ACROSS 32 // outputs of a block
#define DOWN 64
#define WIDTH (ACROSS + 32) // columns of the image that they need, and one more
#define EACH 8 // outputs of a thread
#define THREADS (ACROSS * DOWN / EACH)

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
    float sum[EACH] = {0.0f};

    for (int k = threadIdx.y * ACROSS + x; k < kernel_rows * kernel_cols; k += THREADS)
        weights[k] = kernel[k];
#pragma unroll 4
    for (int r = threadIdx.y; r < DOWN + kernel_rows - 1; r += DOWN / EACH) {
        const float *__restrict__ row = input + min(i0 + r, input_rows - 1) * input_cols;

        for (int c = 0; c < WIDTH; c += ACROSS) // beyond the end the last, which counts for nothing
            tile[r][c + x] = row[min(j0 + c + x, input_cols - 1)];
    }
    __syncthreads();
    for (int n = 0; n < kernel_cols; n++) {
        float column[EACH];

        for (int e = 0; e < EACH - 1; e++)
            column[e] = tile[y + e][x + n];
#pragma unroll 8
        for (int m = 0; m < kernel_rows; m++) {
            float weight = weights[m * kernel_cols + n];

            column[EACH - 1] = tile[y + m + EACH - 1][x + n];
            for (int e = 0; e < EACH; e++)
                sum[e] += column[e] * weight;
            for (int e = 0; e < EACH - 1; e++) // only names, where eight turns are unrolled
                column[e] = column[e + 1];
        }
    }
    for (int e = 0; e < EACH; e++)
        if (i0 + y + e < output_rows && j0 + x < output_cols)
            output[(i0 + y + e) * output_cols + j0 + x] = sum[e];
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 block(ACROSS, DOWN / EACH);
    dim3 grid((input_cols - kernel_cols) / ACROSS + 1, (input_rows - kernel_rows) / DOWN + 1);

    convolve<<<grid, block>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                              kernel_cols);
}
