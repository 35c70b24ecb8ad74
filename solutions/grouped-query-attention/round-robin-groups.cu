// warpjudge: grouped-query-attention
// expect: wrong_answer
// Deals the key heads out in turn (h % num_kv_heads), where neighbours must share one.
#include <cuda_runtime.h>

__global__ void
scores(const float *Q, const float *K, float *S, int heads, int N, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int head = blockIdx.z;

    if (i < N && j < N) {
        const float *q = Q + ((size_t)head * N + i) * d;
        const float *k = K + ((size_t)(head % heads) * N + j) * d;
        float dot = 0.0f;

        for (int c = 0; c < d; c++)
            dot += q[c] * k[c];
        S[((size_t)head * N + i) * N + j] = dot / sqrtf((float)d);
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
combine(const float *S, const float *V, float *output, int heads, int N, int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int head = blockIdx.z;

    if (i < N && c < d) {
        const float *row = S + ((size_t)head * N + i) * N;
        const float *v = V + (size_t)(head % heads) * N * d;
        float sum = 0.0f;

        for (int j = 0; j < N; j++)
            sum += row[j] * v[j * d + c];
        output[((size_t)head * N + i) * d + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int num_q_heads,
      int num_kv_heads, int seq_len, int head_dim)
{
    int tiles = (seq_len + 15) / 16;
    int rows = num_q_heads * seq_len;
    dim3 block(16, 16), pairs(tiles, tiles, num_q_heads);
    dim3 results((head_dim + 15) / 16, tiles, num_q_heads);
    float *S;

    cudaMalloc(&S, (size_t)rows * seq_len * sizeof(float));
    scores<<<pairs, block>>>(Q, K, S, num_kv_heads, seq_len, head_dim);
    softmax<<<(rows + 63) / 64, 64>>>(S, rows, seq_len);
    combine<<<results, block>>>(S, V, output, num_kv_heads, seq_len, head_dim);
    cudaFree(S);
}
