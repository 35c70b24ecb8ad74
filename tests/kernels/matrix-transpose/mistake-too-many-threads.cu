// warpjudge: matrix-transpose
// expect: runtime_error
// says: a block has 1 to 1024 threads
// Blocks of 64 x 64 threads.
#include <cuda_runtime.h>
__global__ void tr(const float *in, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}
extern "C" void solve(const float *input, float *output, int rows, int cols)
{
    dim3 block(64, 64), grid((cols + 63) / 64, (rows + 63) / 64);
    tr<<<grid, block>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
