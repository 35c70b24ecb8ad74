// warpjudge: softmax
// expect: accepted
// idea: A softmax needs the maximum, then the sum of exponentials, then the quotients. Let one
//   block make the three passes, because its threads can wait for each other.
// One block for the whole vector: maximum, sum, quotient, each a pass over the input.
// H200: 154 µs
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
softmax(const float *input, float *output, int N)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;
    float top = -INFINITY, sum = 0.0f;

    for (int i = t; i < N; i += THREADS)
        top = fmaxf(top, input[i]);
    tree[t] = top;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = fmaxf(tree[t], tree[t + half]);
        __syncthreads();
    }
    top = tree[0];
    __syncthreads(); // before tree is written again
    for (int i = t; i < N; i += THREADS)
        sum += expf(input[i] - top);
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    sum = tree[0];
    for (int i = t; i < N; i += THREADS)
        output[i] = expf(input[i] - top) / sum;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    softmax<<<1, THREADS>>>(input, output, N);
    cudaDeviceSynchronize();
}
