// warpjudge: 1d-convolution
// expect: runtime_error
// says: which only cudaMemcpyToSymbol can name
// cudaMemcpy to a __constant__ variable.
#include <cuda_runtime.h>
__constant__ float k[2048];
__global__ void conv(const float *in, float *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - m + 1) {
        float v = 0;
        for (int j = 0; j < m; j++)
            v += in[i + j] * k[j];
        out[i] = v;
    }
}
extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    cudaMemcpy(k, kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToDevice);
    conv<<<(input_size + 255) / 256, 256>>>(input, output, input_size, kernel_size);
}
