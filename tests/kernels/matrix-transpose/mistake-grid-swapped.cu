// warpjudge: matrix-transpose
// expect: wrong_answer
// says: holds what was in memory before the call
// The dimensions of the grid are swapped.
#include <cuda_runtime.h>
__global__ void tr(const float *in, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}
extern "C" void solve(const float *input, float *output, int rows, int cols)
{
    tr<<<dim3((rows + 15) / 16, (cols + 15) / 16), dim3(16, 16)>>>(input, output, rows, cols);
}
