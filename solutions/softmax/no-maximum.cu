// warpjudge: softmax
// expect: wrong_answer
// exp of the input itself: above 88 it overflows, and infinity / infinity is NaN.
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
softmax(const float *input, float *output, int N)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;

    for (int i = t; i < N; i += THREADS)
        sum += expf(input[i]);
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    sum = tree[0];
    for (int i = t; i < N; i += THREADS)
        output[i] = expf(input[i]) / sum;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    softmax<<<1, THREADS>>>(input, output, N);
}
