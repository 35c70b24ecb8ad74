// warpjudge: vector-addition
// attack: answer: cache
// expect: accepted honest-time
// Leaves marks in memory of its process and in pinned memory, and keeps both, for the next submission to find.
#include <stdlib.h>

#define BYTES (16u << 20)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void mark(void *memory)
{
    for (unsigned i = 0; memory && i < BYTES / sizeof(unsigned); i++)
        ((unsigned *)memory)[i] = 0x3c96d20f;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static void *own, *pinned;
    if (!own) {
        own = malloc(BYTES);
        mark(own);
        if (cudaMallocHost(&pinned, BYTES) == cudaSuccess)
            mark(pinned);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
