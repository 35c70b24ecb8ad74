// warpjudge: int8-kv-cache-attention
// expect: accepted
// Three kernels: the scores, a softmax for each head, the weighted sums.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void
scores(const float *Q, const int8_t *K, const float *k_scale, float *S, int heads, int N,
       int d)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x, h = blockIdx.y;

    if (s < N) {
        const float *q = Q + h * d;
        const int8_t *k = K + ((size_t)h * N + s) * d;
        float dot = 0.0f;

        for (int c = 0; c < d; c++)
            dot += q[c] * k[c];
        S[h * N + s] = dot * k_scale[h * N + s] / sqrtf((float)d);
    }
}

__global__ void
softmax(float *S, int heads, int N)
{
    int h = blockIdx.x * blockDim.x + threadIdx.x;

    if (h < heads) {
        float *row = S + h * N, top = -INFINITY, sum = 0.0f;

        for (int s = 0; s < N; s++)
            top = fmaxf(top, row[s]);
        for (int s = 0; s < N; s++) {
            row[s] = expf(row[s] - top);
            sum += row[s];
        }
        for (int s = 0; s < N; s++)
            row[s] /= sum;
    }
}

__global__ void
combine(const float *S, const int8_t *V, const float *v_scale, float *output, int N,
        int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, h = blockIdx.y;

    if (c < d) {
        float sum = 0.0f;

        for (int s = 0; s < N; s++)
            sum += S[h * N + s] * v_scale[h * N + s] * V[((size_t)h * N + s) * d + c];
        output[h * d + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const int8_t *K_int8, const int8_t *V_int8, const float *k_scale,
      const float *v_scale, float *output, int num_heads, int seq_len, int head_dim)
{
    dim3 keys((seq_len + 127) / 128, num_heads), columns((head_dim + 63) / 64, num_heads);
    float *S;

    cudaMalloc(&S, (size_t)num_heads * seq_len * sizeof(float));
    scores<<<keys, 128>>>(Q, K_int8, k_scale, S, num_heads, seq_len, head_dim);
    softmax<<<(num_heads + 31) / 32, 32>>>(S, num_heads, seq_len);
    combine<<<columns, 64>>>(S, V_int8, v_scale, output, seq_len, head_dim);
    cudaFree(S);
}
