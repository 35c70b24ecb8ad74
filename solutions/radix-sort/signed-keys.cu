// warpjudge: radix-sort
// expect: wrong_answer
// The keys are sorted as signed integers: those from 2147483648 on come first.
#include <cub/cub.cuh>

extern "C" void
solve(const unsigned int *input, unsigned int *output, int N)
{
    size_t bytes = 0;
    void *room = nullptr;

    cub::DeviceRadixSort::SortKeys(room, bytes, (const int *)input, (int *)output, N);
    cudaMalloc(&room, bytes);
    cub::DeviceRadixSort::SortKeys(room, bytes, (const int *)input, (int *)output, N);
    cudaFree(room);
}
