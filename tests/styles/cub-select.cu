// warpjudge: stream-compaction
// cub::DeviceSelect::If, whose count goes to a __device__ variable.
#include <cub/device/device_select.cuh>

__device__ int selected;

struct Positive {
    __device__ bool operator()(float x) const { return x > 0; }
};

extern "C" void
solve(const float *A, int N, float *out)
{
    int *count = nullptr;
    void *storage = nullptr;
    size_t bytes = 0;

    cudaGetSymbolAddress((void **)&count, selected);
    cudaMemset(out, 0, N * sizeof *out);
    cub::DeviceSelect::If(storage, bytes, A, out, count, N, Positive{});
    cudaMalloc(&storage, bytes);
    cub::DeviceSelect::If(storage, bytes, A, out, count, N, Positive{});
    cudaFree(storage);
}
