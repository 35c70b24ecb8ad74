// warpjudge: l2-norm
// expect: wrong_answer
// Reports the divisor as the norm: too large where eps is larger.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
normalize(const float *input, float *output, float *norm, int N, float eps)
{
    __shared__ float tree[THREADS];
    const float *row = input + (size_t)blockIdx.x * N;
    int t = threadIdx.x;
    float sum = 0.0f;

    for (int c = t; c < N; c += THREADS)
        sum += row[c] * row[c];
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    float length = fmaxf(sqrtf(tree[0]), eps);

    if (t == 0)
        norm[blockIdx.x] = length;
    for (int c = t; c < N; c += THREADS)
        output[(size_t)blockIdx.x * N + c] = row[c] / length;
}

extern "C" void
solve(const float *input, float *output, float *norm, int M, int N, float eps)
{
    normalize<<<M, THREADS>>>(input, output, norm, N, eps);
}
