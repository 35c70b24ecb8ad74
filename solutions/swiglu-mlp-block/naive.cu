// warpjudge: swiglu-mlp-block
// expect: accepted
// Two kernels: the gated projections, the projection back; a thread for each element.
#include <cuda_runtime.h>

__global__ void
gate(const float *x, const float *W_gate, const float *W_up, float *hidden, int M,
     int d_model, int d_ffn)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && f < d_ffn) {
        float g = 0.0f, u = 0.0f;

        for (int k = 0; k < d_model; k++) {
            g += x[i * d_model + k] * W_gate[(size_t)k * d_ffn + f];
            u += x[i * d_model + k] * W_up[(size_t)k * d_ffn + f];
        }
        hidden[(size_t)i * d_ffn + f] = g / (1.0f + expf(-g)) * u;
    }
}

__global__ void
project(const float *hidden, const float *W_down, float *output, int M, int d_model,
        int d_ffn)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && c < d_model) {
        float sum = 0.0f;

        for (int f = 0; f < d_ffn; f++)
            sum += hidden[(size_t)i * d_ffn + f] * W_down[(size_t)f * d_model + c];
        output[(size_t)i * d_model + c] = sum;
    }
}

extern "C" void
solve(const float *x, const float *W_gate, const float *W_up, const float *W_down,
      float *output, int M, int d_model, int d_ffn)
{
    dim3 block(16, 16);
    int rows = (M + 15) / 16;
    float *hidden;

    cudaMalloc(&hidden, (size_t)M * d_ffn * sizeof(float));
    gate<<<dim3((d_ffn + 15) / 16, rows), block>>>(x, W_gate, W_up, hidden, M, d_model,
                                                   d_ffn);
    project<<<dim3((d_model + 15) / 16, rows), block>>>(hidden, W_down, output, M,
                                                        d_model, d_ffn);
    cudaFree(hidden);
}
