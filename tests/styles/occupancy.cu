// warpjudge: leaky-relu
// Asks the device for its properties and the occupancy before it launches.
#include <algorithm>

__global__ void leaky_relu(const float *input, float *output, int N)
{
    const int stride = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride)
        output[i] = input[i] >= 0 ? input[i] : input[i] * 0.01;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int device, multiprocessors, per_multiprocessor, block, grid;
    cudaDeviceProp properties;
    size_t free_bytes, total_bytes;

    cudaGetDevice(&device);
    cudaGetDeviceProperties(&properties, device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaMemGetInfo(&free_bytes, &total_bytes);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, leaky_relu, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, leaky_relu, block, 0);
    cudaFuncSetCacheConfig(leaky_relu, cudaFuncCachePreferL1);
    grid = std::min((N + block - 1) / block, multiprocessors * per_multiprocessor);
    leaky_relu<<<grid, block>>>(input, output, N);
}
