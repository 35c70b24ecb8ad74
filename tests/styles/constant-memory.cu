// warpjudge: 2d-convolution
// The kernel is copied to constant memory.
#define MAX_KERNEL (31 * 31)
__constant__ float weights[MAX_KERNEL];

__global__ void convolve(const float *input, float *output, int rows, int cols, int kr, int kc)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int out_rows = rows - kr + 1, out_cols = cols - kc + 1;
    float sum = 0.f;

    if (x >= out_cols || y >= out_rows)
        return;
    for (int i = 0; i < kr; ++i)
        for (int j = 0; j < kc; ++j)
            sum += input[(y + i) * cols + x + j] * weights[i * kc + j];
    output[y * out_cols + x] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows, int input_cols,
      int kernel_rows, int kernel_cols)
{
    dim3 block(16, 16), grid((input_cols - kernel_cols + 16) / 16, (input_rows - kernel_rows + 16) / 16);

    cudaMemcpyToSymbol(weights, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<grid, block>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
