// warpjudge: stream-overlap
// expect: accepted
// Against step 1: one sine and one cosine for each element. Four multiplications turn the angle by x
// and give the next term, where step 1 reduced and approximated 32 angles.
// H200: not yet measured. An H100 takes 13.2 ms, 1.05 times as fast as step 1
#include <cuda_runtime.h>

__global__ void
sums(float *values, int N, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sine, cosine, sum = 0.0f;

    if (i >= N)
        return;
    sincosf(values[i], &sine, &cosine);
    float s = sine, c = cosine; // of k * x

    for (int k = 1; k <= terms; k++) {
        float next = s * cosine + c * sine;

        sum += s * (1.0f / k);
        c = c * cosine - s * sine;
        s = next;
    }
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
