// bug: bounds 13
// An array on the stack is left by a computed index.
#include "planted.h"

__global__ void
sort(const int *in, int *out, int n)
{
    int mine[8];

    for (int i = 0; i < 8; i++)
        mine[i] = in[i];
    for (int i = 0; i < n; i++)
        mine[in[40] + i * 2] = i;
    for (int i = 0; i < 8; i++)
        out[threadIdx.x * 8 + i] = mine[in[i] % 8];
}

int
main()
{
    sort<<<1, 4>>>(counted<int>(64), fresh<int>(64), 3);
    return finish();
}
