// bug: misaligned 8
// An atomic on an int that is not at a multiple of 4.
#include "planted.h"

__global__ void
add(char *a)
{
    atomicAdd((int *)(a + 2), 1);
}

int
main()
{
    add<<<1, 1>>>(zeros<char>(64));
    return finish();
}
