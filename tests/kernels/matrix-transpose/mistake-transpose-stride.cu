// warpjudge: matrix-transpose
// expect: runtime_error
// says: writes output[6]; output has 6 elements
// The wrong stride: cols instead of rows.
#include <cuda_runtime.h>
__global__ void tr(const float *in, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * cols + r] = in[r * cols + c];
}
extern "C" void solve(const float *input, float *output, int rows, int cols)
{
    tr<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(input, output, rows, cols);
}
