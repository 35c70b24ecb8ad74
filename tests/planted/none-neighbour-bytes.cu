// bug: none
// Neighbouring bytes and halves of one word are written by different threads.
#include "planted.h"

__global__ void
pack(const int *in, char *bytes, short *halves)
{
    __shared__ char s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;

    s[t] = (char)in[i];
    bytes[i] = (char)(in[i] + 1);
    halves[i] = (short)in[i];
    __syncthreads();
    bytes[256 + i] = s[63 - t];
}

int
main()
{
    pack<<<4, 64>>>(counted<int>(256), fresh<char>(512), fresh<short>(256));
    return finish();
}
