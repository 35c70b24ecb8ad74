// warpjudge: vector-addition
// attack: process: huge files
// expect: accepted honest-time
// Many files fill /tmp and /dev/shm; the limit of one file's size does not help there.
#include <cstdio>
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
    static char block[1 << 20], name[64];
    for (int i = 0; i < 400; i++) {
        snprintf(name, sizeof name, "%s/%d", i % 2 ? "/tmp" : "/dev/shm", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        for (int k = 0; k < 4 && write(fd, block, sizeof block) > 0; k++)
            continue;
        close(fd);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
