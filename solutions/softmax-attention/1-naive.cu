// warpjudge: softmax-attention
// expect: accepted
// idea: Attention is a product of matrices, a softmax of each row and another product. Make each of
//   the three a kernel of its own, and keep the scores in memory between them.
// Three kernels: all scores, a softmax by one thread for each row of them, the weighted sums.
// H200: 54.4 ms
#include <cuda_runtime.h>

__global__ void
scores(const float *Q, const float *K, float *S, int M, int N, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j < N) {
        float dot = 0.0f;

        for (int c = 0; c < d; c++)
            dot += Q[i * d + c] * K[j * d + c];
        S[(size_t)i * N + j] = dot / sqrtf((float)d);
    }
}

__global__ void
softmax(float *S, int M, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < M) {
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
combine(const float *S, const float *V, float *output, int M, int N, int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && c < d) {
        float sum = 0.0f;

        for (int j = 0; j < N; j++)
            sum += S[(size_t)i * N + j] * V[j * d + c];
        output[i * d + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    dim3 block(16, 16);
    float *S;

    cudaMalloc(&S, (size_t)M * N * sizeof(float));
    scores<<<dim3((N + 15) / 16, (M + 15) / 16), block>>>(Q, K, S, M, N, d);
    softmax<<<(M + 63) / 64, 64>>>(S, M, N);
    combine<<<dim3((d + 15) / 16, (M + 15) / 16), block>>>(S, V, output, M, N, d);
    cudaFree(S);
}
