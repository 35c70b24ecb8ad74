// warpjudge: fp16-dot-product
// expect: wrong_answer
// Reads pairs and forgets the last element where N is odd.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define THREADS 256
#define BLOCKS 512

// Each block leaves the sum of its share.
__global__ void
multiply(const __half *A, const __half *B, float *partial, int N)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;

    for (int i = blockIdx.x * THREADS + t; i < N / 2 * 2; i += BLOCKS * THREADS)
        sum += __half2float(A[i]) * __half2float(B[i]);
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = tree[0];
}

__global__ void
finish(const float *partial, __half *result)
{
    float sum = 0.0f;

    for (int b = 0; b < BLOCKS; b++)
        sum += partial[b];
    result[0] = __float2half(sum);
}

extern "C" void
solve(const __half *A, const __half *B, __half *result, int N)
{
    float *partial;

    cudaMalloc(&partial, BLOCKS * sizeof(float));
    multiply<<<BLOCKS, THREADS>>>(A, B, partial, N);
    finish<<<1, 1>>>(partial, result);
    cudaFree(partial);
}
