// warpjudge: linear-self-attention
// expect: wrong_answer
// Takes f(x) = x for positive x: the 1 is forgotten there.
#include <cuda_runtime.h>

__device__ float
feature(float x)
{
    return x > 0.0f ? x : expf(x);
}

// A thread for each element of S = f(K)^T V, and a last column for z, the column sums of
// f(K).
__global__ void
sum_keys(const float *K, const float *V, float *S, float *z, int M, int d)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;

    if (a >= d || b > d)
        return;
    for (int j = 0; j < M; j++)
        sum += feature(K[j * d + a]) * (b < d ? V[j * d + b] : 1.0f);
    if (b < d)
        S[a * d + b] = sum;
    else
        z[a] = sum;
}

__global__ void
apply(const float *Q, const float *S, const float *z, float *output, int M, int d)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float above = 0.0f, below = 0.0f;

    if (i >= M || b >= d)
        return;
    for (int a = 0; a < d; a++) {
        float q = feature(Q[i * d + a]);

        above += q * S[a * d + b];
        below += q * z[a];
    }
    output[i * d + b] = above / below;
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
    dim3 block(16, 16);
    float *S, *z;

    cudaMalloc(&S, (size_t)d * d * sizeof(float));
    cudaMalloc(&z, (size_t)d * sizeof(float));
    sum_keys<<<dim3((d + 16) / 16, (d + 15) / 16), block>>>(K, V, S, z, M, d);
    apply<<<dim3((d + 15) / 16, (M + 15) / 16), block>>>(Q, S, z, output, M, d);
    cudaFree(S);
    cudaFree(z);
}
