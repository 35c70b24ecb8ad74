// warpjudge: stream-overlap
// expect: accepted
// idea: A sine and a cosine for every term cost much more than a multiplication. Compute them once
//   for each element, and turn the angle by a few multiplications for each next term.
// Against step 1: one sine and one cosine for each element. Four multiplications turn the angle by x
// and give the next term, where step 1 reduced and approximated 32 angles.
// H200: 9.28 ms, where step 1 took 7.57. Their times differ by a factor of 2 from call to call.
// An H100 took 13.2 ms, where step 1 took 13.9.
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
