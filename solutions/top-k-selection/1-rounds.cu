// warpjudge: top-k-selection
// expect: accepted
// idea: The largest value is a reduction, and the next one is the same reduction without it. Make k
//   rounds, each of which finds the largest value that is left and takes it away.
// k rounds over a copy of the input: each finds the largest value that is left, blocks first, and
// takes one occurrence of it away. Two kernels a round; the value's place goes along with it. So
// the input is read k times.
// H200: 242 ms
#include <cuda_runtime.h>

#define THREADS 256
#define BLOCKS 64

struct best {
    float value;
    int place;
};

__device__ best
larger(best a, best b)
{
    return b.place >= 0 && (a.place < 0 || b.value > a.value) ? b : a;
}

__device__ best
block_best(best mine)
{
    __shared__ best tree[THREADS];
    int t = threadIdx.x;

    tree[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = larger(tree[t], tree[t + half]);
        __syncthreads();
    }
    return tree[0];
}

__global__ void
find(const float *left, best *partial, int N)
{
    best mine = {0.0f, -1};

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += BLOCKS * THREADS)
        mine = larger(mine, {left[i], i});
    mine = block_best(mine);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = mine;
}

__global__ void
take(float *left, const best *partial, float *output, int round)
{
    best mine = {0.0f, -1};

    for (int b = threadIdx.x; b < BLOCKS; b += THREADS)
        mine = larger(mine, partial[b]);
    mine = block_best(mine);
    if (threadIdx.x == 0) {
        output[round] = mine.value;
        left[mine.place] = -INFINITY;
    }
}

extern "C" void
solve(const float *input, float *output, int N, int k)
{
    float *left;
    best *partial;

    cudaMalloc(&left, N * sizeof(float));
    cudaMalloc(&partial, BLOCKS * sizeof(best));
    cudaMemcpy(left, input, N * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int round = 0; round < k; round++) {
        find<<<BLOCKS, THREADS>>>(left, partial, N);
        take<<<1, THREADS>>>(left, partial, output, round);
    }
    cudaFree(left);
    cudaFree(partial);
}
