// warpjudge: decaying-causal-attention
// expect: wrong_answer
// Splits gamma^(n - m) into gamma^n * gamma^-m: these become 0 and infinity, and 0 *
// infinity is NaN.
#include <cuda_runtime.h>

__global__ void
weigh(const float *Q, const float *K, float *S, int N, int d, float gamma)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y * blockDim.y + threadIdx.y;

    if (n < N && m <= n) {
        float dot = 0.0f;

        for (int c = 0; c < d; c++)
            dot += Q[n * d + c] * K[m * d + c];
        S[(size_t)n * N + m] = powf(gamma, n) * powf(gamma, -m) * dot / sqrtf((float)d);
    }
}

__global__ void
combine(const float *S, const float *V, float *output, int N, int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int n = blockIdx.y * blockDim.y + threadIdx.y;

    if (n < N && c < d) {
        float sum = 0.0f;

        for (int m = 0; m <= n; m++)
            sum += S[(size_t)n * N + m] * V[m * d + c];
        output[n * d + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int seq_len,
      int d_model, float gamma)
{
    dim3 block(16, 16);
    int tiles = (seq_len + 15) / 16, columns = (d_model + 15) / 16;
    float *S;

    cudaMalloc(&S, (size_t)seq_len * seq_len * sizeof(float));
    weigh<<<dim3(tiles, tiles), block>>>(Q, K, S, seq_len, d_model, gamma);
    combine<<<dim3(columns, tiles), block>>>(S, V, output, seq_len, d_model);
    cudaFree(S);
}
