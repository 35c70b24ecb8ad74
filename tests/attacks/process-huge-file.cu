// warpjudge: vector-addition
// attack: process: huge files
// expect: output_limit|accepted honest-time
// Writes a file until the limit, which a signal tells it.
#include <fcntl.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static char block[1 << 20];
    int fd = open("/tmp/huge", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 10000 && write(fd, block, sizeof block) > 0; i++)
        continue;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
