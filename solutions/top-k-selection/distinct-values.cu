// warpjudge: top-k-selection
// expect: wrong_answer
// Each round takes the largest value below the one before: a value that occurs twice is returned
// once.
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
rounds(const float *input, float *output, int N, int k)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;
    float bound = INFINITY;

    for (int round = 0; round < k; round++) {
        float mine = -INFINITY;

        for (int i = t; i < N; i += THREADS)
            if (input[i] < bound)
                mine = fmaxf(mine, input[i]);
        tree[t] = mine;
        __syncthreads();
        for (int half = THREADS / 2; half > 0; half /= 2) {
            if (t < half)
                tree[t] = fmaxf(tree[t], tree[t + half]);
            __syncthreads();
        }
        bound = tree[0];
        if (t == 0)
            output[round] = bound;
        __syncthreads();
    }
}

extern "C" void
solve(const float *input, float *output, int N, int k)
{
    rounds<<<1, THREADS>>>(input, output, N, k);
}
