// bug: misaligned 8
// A double is written behind an int.
#include "planted.h"

__global__ void
pack(char *a)
{
    *(double *)(a + 4 + threadIdx.x * 8) = 1.5;
}

int
main()
{
    pack<<<1, 8>>>(zeros<char>(256));
    return finish();
}
