// Dynamic parallelism: a kernel that launches one.
#include <cstdio>

__global__ void
child()
{
}

__global__ void
parent()
{
    child<<<1, 1>>>();
}

int
main()
{
    parent<<<1, 1>>>();
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
