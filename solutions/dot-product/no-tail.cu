// warpjudge: dot-product
// expect: wrong_answer
// Four products for each thread, but the last N % 4 are forgotten.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
dot4(const float4 *A, const float4 *B, float *result, int quads)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    float sum = 0.0f;

    if (i < quads) {
        float4 a = A[i], b = B[i];

        sum = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, tree[0]);
}

extern "C" void
solve(const float *A, const float *B, float *result, int N)
{
    int quads = N / 4;

    dot4<<<quads / THREADS + 1, THREADS>>>((const float4 *)A, (const float4 *)B, result,
                                           quads);
}
