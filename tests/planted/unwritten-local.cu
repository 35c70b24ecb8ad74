// bug: unwritten 12
// An array on the stack is read where the loop has not been.
#include "planted.h"

__global__ void
pick(const int *in, int *out)
{
    int mine[16];

    for (int i = 0; i < in[8]; i++)
        mine[in[i]] = i;
    out[threadIdx.x] = mine[in[12]];
}

int
main()
{
    pick<<<1, 4>>>(counted<int>(64), fresh<int>(4));
    return finish();
}
