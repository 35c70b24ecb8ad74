// warpjudge: l1-norm
// expect: accepted
// A block for each row: a tree in shared memory for the sum, then the quotients.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
normalize(const float *input, float *output, int N, float eps)
{
    __shared__ float tree[THREADS];
    const float *row = input + (size_t)blockIdx.x * N;
    int t = threadIdx.x;
    float sum = 0.0f;

    for (int c = t; c < N; c += THREADS)
        sum += fabsf(row[c]);
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    sum = fmaxf(tree[0], eps);
    for (int c = t; c < N; c += THREADS)
        output[(size_t)blockIdx.x * N + c] = row[c] / sum;
}

extern "C" void
solve(const float *input, float *output, int M, int N, float eps)
{
    normalize<<<M, THREADS>>>(input, output, N, eps);
    cudaDeviceSynchronize();
}
