// warpjudge: 3d-convolution
// expect: accepted
// idea: Threads of a block read nearly the same part of the volume, each for itself. Copy that part and
//   the weights to shared memory once for each block.
// A block makes 32 x 8 outputs of one depth. It copies what they need to shared memory, at most
// 5 x 12 x 36 values, and the weights. Each value is then read up to 125 times from there. Loads take
// fewer cycles, but there are as many as before.
// H200: not measured yet
#include <cuda_runtime.h>

#define ACROSS 32 // outputs of a block
#define DOWN 8
#define LARGEST 5 // extent of the kernel
#define HEIGHT (DOWN + LARGEST - 1)
#define WIDTH (ACROSS + LARGEST - 1)

__global__ void
convolve(const float *input, const float *kernel, float *output, int input_depth, int input_rows,
         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    __shared__ float part[LARGEST][HEIGHT][WIDTH], weights[LARGEST * LARGEST * LARGEST];
    int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    int x = threadIdx.x, y = threadIdx.y, t = y * ACROSS + x, i = blockIdx.z;
    int j0 = blockIdx.y * DOWN, k0 = blockIdx.x * ACROSS;
    float sum = 0.0f;

    for (int e = t; e < kernel_depth * kernel_rows * kernel_cols; e += ACROSS * DOWN)
        weights[e] = kernel[e];
    for (int e = t; e < kernel_depth * HEIGHT * WIDTH; e += ACROSS * DOWN) {
        int d = e / (HEIGHT * WIDTH), r = e / WIDTH % HEIGHT, c = e % WIDTH;
        bool inside = j0 + r < input_rows && k0 + c < input_cols;

        part[d][r][c] =
            inside ? input[((i + d) * input_rows + j0 + r) * input_cols + k0 + c] : 0.0f;
    }
    __syncthreads();
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int c = 0; c < kernel_cols; c++)
                sum += part[d][y + r][x + c] * weights[(d * kernel_rows + r) * kernel_cols + c];
    if (j0 + y < rows && k0 + x < cols)
        output[(i * rows + j0 + y) * cols + k0 + x] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_depth, int input_rows,
      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 block(ACROSS, DOWN);
    dim3 grid((input_cols - kernel_cols) / ACROSS + 1, (input_rows - kernel_rows) / DOWN + 1,
              input_depth - kernel_depth + 1);

    convolve<<<grid, block>>>(input, kernel, output, input_depth, input_rows, input_cols,
                              kernel_depth, kernel_rows, kernel_cols);
}
