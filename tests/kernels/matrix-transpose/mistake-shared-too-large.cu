// warpjudge: matrix-transpose
// expect: compile_error
// says: __shared__ variables take 65536 bytes; at most 49152 are possible
// More static shared memory than a block can have.
#include <cuda_runtime.h>
__global__ void tr(const float *in, float *out, int rows, int cols)
{
    __shared__ float tile[128][128];
    for (int y = threadIdx.y; y < 128; y += blockDim.y)
        for (int x = threadIdx.x; x < 128; x += blockDim.x) {
            int r = blockIdx.y * 128 + y, c = blockIdx.x * 128 + x;
            if (r < rows && c < cols)
                tile[y][x] = in[r * cols + c];
        }
    __syncthreads();
    for (int y = threadIdx.y; y < 128; y += blockDim.y)
        for (int x = threadIdx.x; x < 128; x += blockDim.x) {
            int r = blockIdx.y * 128 + x, c = blockIdx.x * 128 + y;
            if (r < rows && c < cols)
                out[c * rows + r] = tile[x][y];
        }
}
extern "C" void solve(const float *input, float *output, int rows, int cols)
{
    tr<<<dim3((cols + 127) / 128, (rows + 127) / 128), dim3(32, 8)>>>(input, output, rows, cols);
}
