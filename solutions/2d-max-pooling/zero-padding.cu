// warpjudge: 2d-max-pooling
// expect: wrong_answer
// Starts the maximum at 0: as if the border held zeros.
#include <cuda_runtime.h>

__global__ void
pool(const float *input, float *output, int H, int W, int height, int width,
     int kernel_size, int stride, int padding)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t plane = blockIdx.z;

    if (y >= height || x >= width)
        return;
    float top = 0.0f;

    for (int r = y * stride - padding; r < y * stride - padding + kernel_size; r++)
        for (int q = x * stride - padding; q < x * stride - padding + kernel_size; q++)
            if (r >= 0 && r < H && q >= 0 && q < W)
                top = fmaxf(top, input[(plane * H + r) * W + q]);
    output[(plane * height + y) * width + x] = top;
}

extern "C" void
solve(const float *input, float *output, int N, int C, int H, int W, int kernel_size,
      int stride, int padding)
{
    int height = (H + 2 * padding - kernel_size) / stride + 1;
    int width = (W + 2 * padding - kernel_size) / stride + 1;
    dim3 block(32, 8);
    dim3 grid((width + 31) / 32, (height + 7) / 8, N * C);

    pool<<<grid, block>>>(input, output, H, W, height, width, kernel_size, stride,
                          padding);
    cudaDeviceSynchronize();
}
