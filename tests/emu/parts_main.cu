// Separate compilation: the kernel is here, what it uses in parts_other.cu.
#include <cstdio>

extern __device__ int table[4];
extern __constant__ int bias;
__device__ int twice(int);
__device__ int apply(int (*)(int), int);
static __device__ int hidden = 5;

__device__ inline int
shared_by_both(int x)
{
    return x + 1;
}

static __device__ int
same_name(int x)
{
    return x + 100;
}

__global__ void
use(int *out)
{
    int i = threadIdx.x;

    out[i] = twice(table[i]) + hidden + bias + shared_by_both(0) + apply(same_name, i);
}

int
main()
{
    const int wanted[] = {2 * 1 + 7 + 5 + 1000 + 1 + 100 + 1, 2 * 2 + 7 + 5 + 1000 + 1 + 101 + 1,
                          2 * 3 + 7 + 5 + 1000 + 1 + 102 + 1, 2 * 9 + 7 + 5 + 1000 + 1 + 103 + 1};
    int values[] = {1, 2, 3, 9}, host[4] = {0}, *device, bad = 0;

    cudaMemcpyToSymbol(table, values, sizeof values);
    cudaMalloc(&device, sizeof host);
    use<<<1, 4>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        bad += host[i] != wanted[i];
    printf("%s, %d wrong\n", cudaGetErrorName(cudaGetLastError()), bad);
    return bad;
}
