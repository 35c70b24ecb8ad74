// warpjudge: softmax
// expect: wrong_answer
// Each block of 256 is normalized by itself: right only up to 256 elements.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
softmax(const float *input, float *output, int N)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    float x = i < N ? input[i] : -INFINITY, top, e;

    tree[t] = x;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = fmaxf(tree[t], tree[t + half]);
        __syncthreads();
    }
    top = tree[0];
    __syncthreads();
    e = expf(x - top);
    tree[t] = e;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (i < N)
        output[i] = e / tree[0];
}

extern "C" void
solve(const float *input, float *output, int N)
{
    softmax<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
