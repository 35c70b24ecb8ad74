// Kernels that never end, or would take everything, for tests/unit/test_bounded.c. The line
// that is to be named ends with the kernel's name. After a change:
//   nvcc -arch=compute_80 -lineinfo --ptx endless.cu -o endless.ptx
// and make the .file lines relative.
#include <cstdio>
#include <cuda_runtime.h>

__device__ volatile int flag;
__device__ int lock, sink;

extern "C" __global__ void simple(int *out)
{
    while (flag == 0) // HERE simple
        ;
    *out = 1;
}

extern "C" __global__ void nested(int *out)
{
    for (int i = 0; i >= 0; i = (i + 1) & 1023) // the outer one never ends
        for (int j = 0; j < 100; j++) // HERE nested
            out[j] += flag + i;
}

extern "C" __global__ void one_lane(int *out)
{
    if (threadIdx.x == 7)
        while (flag == 0) // HERE one_lane
            ;
    __syncthreads();
    *out = 1;
}

// Nobody ever unlocks it.
extern "C" __global__ void spin(int *out)
{
    while (atomicCAS(&lock, 0, 1) != 0) // HERE spin
        ;
    *out = 1;
}

__device__ __noinline__ int deeper(int n, int *out)
{
    return n == flag - 1 ? 0 : deeper(n + 1, out) + out[n & 63]; // HERE recursion
}

extern "C" __global__ void recursion(int *out)
{
    *out = deeper(0, out);
}

extern "C" __global__ void talk(int *out)
{
    for (int i = 0; flag == 0; i++) // HERE talk
        printf("%d: and so on and so on and so on and so on and so on and so on\n", i);
    *out = 1;
}

extern "C" __global__ void hoard(int *out)
{
    while (flag == 0) { // HERE hoard
        char *p = (char *)malloc(1 << 20);

        if (p != NULL)
            p[threadIdx.x] = 1;
        out[threadIdx.x] += p == NULL;
    }
}

extern "C" __global__ void empty(int *out)
{
}
