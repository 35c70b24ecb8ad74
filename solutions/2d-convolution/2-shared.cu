// warpjudge: 2d-convolution
// expect: accepted
// idea: Neighbouring outputs need nearly the same window of the image, and each of their threads
//   reads it again. Let a block bring its part of the image and the weights to shared memory once.
// A block's part of the image and the weights in shared memory: any 32 neighbours come from there
// in one step, where L1 needs a second one for what reaches into another line.
// H200: 2.3 ms, 1.46 times as fast as step 1
#include <cuda_runtime.h>

#define LARGEST 31
#define ACROSS 32 // outputs of a block
#define DOWN 8
#define WIDTH (ACROSS + 32) // columns of the image that they need, and one more

__global__ void
convolve(const float *__restrict__ input, const float *__restrict__ kernel, float *output,
         int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    __shared__ float tile[DOWN + LARGEST - 1][WIDTH];
    __shared__ float weights[LARGEST * LARGEST];
    int output_rows = input_rows - kernel_rows + 1,
        output_cols = input_cols - kernel_cols + 1;
    int x = threadIdx.x, y = threadIdx.y, j0 = blockIdx.x * ACROSS, i0 = blockIdx.y * DOWN;
    float sum = 0.0f;

    for (int k = y * ACROSS + x; k < kernel_rows * kernel_cols; k += ACROSS * DOWN)
        weights[k] = kernel[k];
#pragma unroll 4
    for (int r = threadIdx.y; r < DOWN + kernel_rows - 1; r += DOWN) {
        const float *__restrict__ row = input + min(i0 + r, input_rows - 1) * input_cols;

        for (int c = 0; c < WIDTH; c += ACROSS) // beyond the end the last, which counts for nothing
            tile[r][c + x] = row[min(j0 + c + x, input_cols - 1)];
    }
    __syncthreads();
    for (int m = 0; m < kernel_rows; m++)
        for (int n = 0; n < kernel_cols; n++)
            sum += tile[y + m][x + n] * weights[m * kernel_cols + n];
    if (i0 + y < output_rows && j0 + x < output_cols)
        output[(i0 + y) * output_cols + j0 + x] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 block(ACROSS, DOWN);
    dim3 grid((input_cols - kernel_cols) / ACROSS + 1, (input_rows - kernel_rows) / DOWN + 1);

    convolve<<<grid, block>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                              kernel_cols);
}
