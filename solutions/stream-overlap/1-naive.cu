// warpjudge: stream-overlap
// expect: accepted
// idea: The input must come over the bus, then be computed, and the result must go back. Do one
//   after the other first: that is easy to get right.
// One copy in, one kernel, one copy out: nothing overlaps, and each direction of the bus idles for
// more than half of the time.
// H200: 7.57 ms
#include <cuda_runtime.h>

__global__ void
sums(float *values, int N, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (i >= N)
        return;
    for (int k = 1; k <= terms; k++)
        sum += sinf(k * values[i]) / k;
    values[i] = sum;
}

extern "C" void
solve(const float *input, float *output, int N, int terms)
{
    size_t bytes = N * sizeof(float);
    float *values;

    cudaMalloc(&values, bytes);
    cudaMemcpy(values, input, bytes, cudaMemcpyHostToDevice);
    sums<<<(N + 255) / 256, 256>>>(values, N, terms);
    cudaMemcpy(output, values, bytes, cudaMemcpyDeviceToHost);
    cudaFree(values);
}
