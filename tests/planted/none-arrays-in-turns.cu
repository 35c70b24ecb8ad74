// bug: none
// Pointers into shared arrays that change places, walk to the end and stand behind it.
#include "planted.h"

__global__ void turns(const int *in, int *out, int rounds)
{
    __shared__ int a[66], b[66], rows[4][17];
    int *from = a, *to = b, i = threadIdx.x, s = 0;

    a[i + 1] = in[i];
    b[i + 1] = 0;
    if (i < 2)
        a[65 * i] = b[65 * i] = 0;
    rows[i / 16][i % 16] = in[i];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        int *other = from;

        to[i + 1] = from[i] + from[i + 2];
        __syncthreads();
        from = to;
        to = other;
    }
    for (const int *p = rows[i / 16], *end = p + 16; p != end; p++)
        s += *p;
    for (const int *p = a + 65, *end = a; p != end; p -= 13)
        s += *p;
    out[i] = from[i + 1] + s;
}

int main()
{
    turns<<<1, 64>>>(counted<int>(64), zeros<int>(64), 5);
    return finish();
}
