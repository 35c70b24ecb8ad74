// warpjudge: lora-linear
// expect: wrong_answer
// Leaves the low-rank term out.
#include <cuda_runtime.h>

// t = x A^T
__global__ void
squeeze(const float *x, const float *A, float *t, int batch, int d_in, int rank)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;

    if (b < batch && r < rank) {
        float sum = 0.0f;

        for (int k = 0; k < d_in; k++)
            sum += x[b * d_in + k] * A[r * d_in + k];
        t[b * rank + r] = sum;
    }
}

__global__ void
linear(const float *x, const float *W, const float *t, const float *B, float *output,
       int batch, int d_in, int d_out, int rank, float lora_scale)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;

    if (b < batch && o < d_out) {
        float base = 0.0f, low = 0.0f;

        for (int k = 0; k < d_in; k++)
            base += x[b * d_in + k] * W[o * d_in + k];
        for (int r = 0; r < rank; r++)
            low += t[b * rank + r] * B[o * rank + r];
        output[b * d_out + o] = base;
    }
}

extern "C" void
solve(const float *x, const float *W, const float *A, const float *B, float *output,
      int batch, int d_in, int d_out, int rank, float lora_scale)
{
    dim3 block(16, 16);
    int rows = (batch + 15) / 16;
    float *t;

    cudaMalloc(&t, (size_t)batch * rank * sizeof(float));
    squeeze<<<dim3((rank + 15) / 16, rows), block>>>(x, A, t, batch, d_in, rank);
    linear<<<dim3((d_out + 15) / 16, rows), block>>>(x, W, t, B, output, batch, d_in,
                                                     d_out, rank, lora_scale);
    cudaFree(t);
}
