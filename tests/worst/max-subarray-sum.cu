// warpjudge: max-subarray-sum
// A thread for each window adds the whole window.
#include <climits>

__global__ void
each(const int *input, int *output, int N, int window_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = 0;

    if (i > N - window_size)
        return;
    for (int k = 0; k < window_size; k++)
        sum += input[i + k];
    atomicMax(output, sum);
}

extern "C" void
solve(const int *input, int *output, int N, int window_size)
{
    const int least = INT_MIN;

    cudaMemcpy(output, &least, sizeof least, cudaMemcpyHostToDevice);
    each<<<(N + 255) / 256, 256>>>(input, output, N, window_size);
}
