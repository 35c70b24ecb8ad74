// warpjudge: sorting
// expect: wrong_answer
// The bits of the floats are sorted as signed integers: right for positive numbers, but negative
// ones come out from the largest to the smallest.
#include <cub/cub.cuh>

extern "C" void
solve(float *data, int N)
{
    size_t bytes = 0;
    void *room = nullptr;
    int *keys;

    cudaMalloc(&keys, N * sizeof(int));
    cudaMemcpy(keys, data, N * sizeof(int), cudaMemcpyDeviceToDevice);
    cub::DeviceRadixSort::SortKeys(room, bytes, keys, (int *)data, N);
    cudaMalloc(&room, bytes);
    cub::DeviceRadixSort::SortKeys(room, bytes, keys, (int *)data, N);
    cudaFree(room);
    cudaFree(keys);
}
