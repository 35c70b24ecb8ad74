/* CUB's radix sort. */
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>

/* CUB takes errors away from the runtime, so that nobody hears of one that is not looked
 * at here: memory that could not be had would leave the output as it was. */
static void
must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorName(error));
    exit(1);
}

extern "C" void
solve(const unsigned int *input, unsigned int *output, int N)
{
    size_t bytes = 0;
    void *room = nullptr;

    must(cub::DeviceRadixSort::SortKeys(room, bytes, input, output, N));
    must(cudaMalloc(&room, bytes));
    must(cub::DeviceRadixSort::SortKeys(room, bytes, input, output, N));
    must(cudaFree(room));
}
