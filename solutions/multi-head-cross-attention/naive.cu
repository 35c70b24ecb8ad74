// warpjudge: multi-head-cross-attention
// expect: accepted
// Three kernels: all scores, a softmax for each row of them, the weighted sums.
#include <cuda_runtime.h>

__global__ void
scores(const float *Q, const float *K, float *S, int M, int N, int H, int D)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int head = blockIdx.z;

    if (i < M && j < N) {
        float dot = 0.0f;

        for (int c = 0; c < D; c++)
            dot += Q[(i * H + head) * D + c] * K[(j * H + head) * D + c];
        S[((size_t)head * M + i) * N + j] = dot / sqrtf((float)D);
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
combine(const float *S, const float *V, float *output, int M, int N, int H, int D)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int head = blockIdx.z;

    if (i < M && c < D) {
        const float *row = S + ((size_t)head * M + i) * N;
        float sum = 0.0f;

        for (int j = 0; j < N; j++)
            sum += row[j] * V[(j * H + head) * D + c];
        output[(i * H + head) * D + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int H,
      int D)
{
    dim3 block(16, 16);
    dim3 pairs((N + 15) / 16, (M + 15) / 16, H), results((D + 15) / 16, (M + 15) / 16, H);
    float *S;

    cudaMalloc(&S, (size_t)H * M * N * sizeof(float));
    scores<<<pairs, block>>>(Q, K, S, M, N, H, D);
    softmax<<<(H * M + 63) / 64, 64>>>(S, H * M, N);
    combine<<<results, block>>>(S, V, output, M, N, H, D);
    cudaFree(S);
}
