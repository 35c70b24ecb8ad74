// warpjudge: multi-head-attention
// expect: accepted
// Three kernels: all scores, a softmax for each row of them, the weighted sums.
#include <cuda_runtime.h>

__global__ void
scores(const float *Q, const float *K, float *S, int N, int d_model, int d_k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int head = blockIdx.z;

    if (i < N && j < N) {
        float dot = 0.0f;

        for (int c = head * d_k; c < (head + 1) * d_k; c++)
            dot += Q[i * d_model + c] * K[j * d_model + c];
        S[((size_t)head * N + i) * N + j] = dot / sqrtf((float)d_k);
    }
}

__global__ void
softmax(float *S, int rows, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows) {
        float *row = S + (size_t)i * N, top = -INFINITY, sum = 0.0f;

        for (int j = 0; j < N; j++)
            top = fmaxf(top, row[j]);
        for (int j = 0; j < N; j++) {
            row[j] = expf(row[j] - top);
            sum += row[j];
        }
        for (int j = 0; j < N; j++)
            row[j] /= sum;
    }
}

__global__ void
combine(const float *S, const float *V, float *output, int N, int d_model, int d_k)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < N && c < d_model) {
        const float *row = S + ((size_t)(c / d_k) * N + i) * N;
        float sum = 0.0f;

        for (int j = 0; j < N; j++)
            sum += row[j] * V[j * d_model + c];
        output[i * d_model + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int N, int d_model,
      int h)
{
    dim3 block(16, 16);
    int tiles = (N + 15) / 16, d_k = d_model / h;
    float *S;

    cudaMalloc(&S, (size_t)h * N * N * sizeof(float));
    scores<<<dim3(tiles, tiles, h), block>>>(Q, K, S, N, d_model, d_k);
    softmax<<<(h * N + 63) / 64, 64>>>(S, h * N, N);
    combine<<<dim3((d_model + 15) / 16, tiles), block>>>(S, V, output, N, d_model, d_k);
    cudaFree(S);
}
