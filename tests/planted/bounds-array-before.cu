// bug: bounds 19
// The left neighbour of the first element is the last one of another array.
#include "planted.h"

__global__ void smooth(const int *in, int *out, int rounds)
{
    __shared__ int first[64], second[64];
    int i = threadIdx.x;

    first[i] = in[i];
    second[i] = in[i + 64];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        int a = second[i], b = 0;

        // The guard is missing: if (i > 0)
        if (a >= 0)
            b = first[i] +
                second[i - 1];
        __syncthreads();
        first[i] = b;
        __syncthreads();
    }
    out[i] = first[i];
}

int main()
{
    smooth<<<1, 64>>>(counted<int>(128), zeros<int>(64), 2);
    return finish();
}
