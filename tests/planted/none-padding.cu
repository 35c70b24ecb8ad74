// bug: none
// Structures with padding, copied whole; only members are read.
#include "planted.h"

struct item {
    char tag;
    double value;
};

__global__ void
copy(const item *in, item *out)
{
    out[threadIdx.x].tag = in[threadIdx.x].tag;
    out[threadIdx.x].value = in[threadIdx.x].value;
}

__global__ void
whole(const item *in, item *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

int
main()
{
    item host[32], *a = fresh<item>(32), *b = fresh<item>(32), *c = fresh<item>(32);

    for (int i = 0; i < 32; i++) {
        host[i].tag = 'a';
        host[i].value = i;
    }
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    copy<<<1, 32>>>(a, b);
    whole<<<1, 32>>>(a, c);
    return finish();
}
