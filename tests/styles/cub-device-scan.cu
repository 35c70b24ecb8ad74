// warpjudge: prefix-sum
// cub::DeviceScan whose temporary storage is kept in a static buffer that grows.
#include <cub/device/device_scan.cuh>

static void *storage;
static size_t capacity;

extern "C" void
solve(const float *input, float *output, int N)
{
    size_t bytes = 0;

    cub::DeviceScan::InclusiveSum(nullptr, bytes, input, output, N);
    if (bytes > capacity) {
        cudaFree(storage);
        cudaMalloc(&storage, bytes);
        capacity = bytes;
    }
    cub::DeviceScan::InclusiveSum(storage, bytes, input, output, N);
}
