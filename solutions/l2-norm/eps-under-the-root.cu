// warpjudge: l2-norm
// expect: wrong_answer
// sqrt(sum + eps), as other normalizations have it: another number where eps is not tiny.
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
    if (t == 0)
        norm[blockIdx.x] = sqrtf(tree[0]);
    for (int c = t; c < N; c += THREADS)
        output[(size_t)blockIdx.x * N + c] = row[c] / sqrtf(tree[0] + eps);
}

extern "C" void
solve(const float *input, float *output, float *norm, int M, int N, float eps)
{
    normalize<<<M, THREADS>>>(input, output, norm, N, eps);
}
