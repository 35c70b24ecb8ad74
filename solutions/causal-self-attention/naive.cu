// warpjudge: causal-self-attention
// expect: accepted
// Three kernels: the scores of the keys that are seen, a softmax for each row, the
// weighted sums.
#include <cuda_runtime.h>

__global__ void
scores(const float *Q, const float *K, float *S, int M, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j <= i) {
        float dot = 0.0f;

        for (int c = 0; c < d; c++)
            dot += Q[i * d + c] * K[j * d + c];
        S[(size_t)i * M + j] = dot / sqrtf((float)d);
    }
}

__global__ void
softmax(float *S, int M)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < M) {
        float *row = S + (size_t)i * M, top = -INFINITY, sum = 0.0f;

        for (int j = 0; j <= i; j++)
            top = fmaxf(top, row[j]);
        for (int j = 0; j <= i; j++) {
            row[j] = expf(row[j] - top);
            sum += row[j];
        }
        for (int j = 0; j <= i; j++)
            row[j] /= sum;
    }
}

__global__ void
combine(const float *S, const float *V, float *output, int M, int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && c < d) {
        float sum = 0.0f;

        for (int j = 0; j <= i; j++)
            sum += S[(size_t)i * M + j] * V[j * d + c];
        output[i * d + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
    dim3 block(16, 16);
    int tiles = (M + 15) / 16;
    float *S;

    cudaMalloc(&S, (size_t)M * M * sizeof(float));
    scores<<<dim3(tiles, tiles), block>>>(Q, K, S, M, d);
    softmax<<<(M + 63) / 64, 64>>>(S, M);
    combine<<<dim3((d + 15) / 16, tiles), block>>>(S, V, output, M, d);
    cudaFree(S);
}
