// bug: bounds 16
// There is one bin more than the array has, as the largest value shows.
#include "planted.h"

__global__ void pick(const int *in, int *out)
{
    __shared__ int table[96];
    __shared__ int after[32];
    int i = threadIdx.x;

    if (i < 96)
        table[i] = i;
    else
        after[i - 96] = i;
    __syncthreads();
    out[i] = table[in[i]] + after[i % 32];
}

int main()
{
    pick<<<1, 128>>>(counted<int>(128), zeros<int>(128));
    return finish();
}
