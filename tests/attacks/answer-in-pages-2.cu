// warpjudge: vector-addition
// attack: answer: cache
// expect: accepted honest-time
// Looks in fresh memory, of its process and pinned, for what a submission before it left: a find ends it.
#include <stdlib.h>

#define BYTES (16u << 20)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void look(const void *memory)
{
    const volatile unsigned *at = (const unsigned *)memory;

    for (unsigned i = 0; memory && i < BYTES / sizeof(unsigned); i++)
        if (at[i] == 0x3c96d20f)
            abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static void *own, *pinned;
    if (!own) {
        own = malloc(BYTES);
        look(own);
        if (cudaMallocHost(&pinned, BYTES) == cudaSuccess)
            look(pinned);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
