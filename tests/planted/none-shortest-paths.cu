// bug: none
// Floyd and Warshall in place, one launch for each k: row and column k are stored as they
// were while other blocks read them.
#include "planted.h"

enum { N = 70 };

__global__ void
through(float *d, int k)
{
    __shared__ float row[64], side;
    int j = blockIdx.x * 64 + threadIdx.x, i = blockIdx.y;

    if (j < N)
        row[threadIdx.x] = d[k * N + j];
    if (threadIdx.x == 0)
        side = d[i * N + k];
    __syncthreads();
    if (j < N)
        d[i * N + j] = fminf(d[i * N + j], side + row[threadIdx.x]);
}

__global__ void
start(float *d)
{
    int i = blockIdx.x, j = threadIdx.x;

    d[i * N + j] = i == j ? 0 : (i * 31 + j * 17) % 89 + 1;
}

int
main()
{
    float *d = fresh<float>(N * N);

    start<<<N, N>>>(d);
    for (int k = 0; k < N; k++)
        through<<<dim3(2, N), 64>>>(d, k);
    return finish();
}
