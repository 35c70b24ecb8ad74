// warpjudge: vector-addition
// attack: process: files for another submission
// expect: accepted honest-time
// Leaves its answers in files, for the next submission.
#include <cstdio>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/shm.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const char *const names[] = {"/tmp/left", "/dev/shm/left", "/var/tmp/left", "/run/left"};
    for (const char *name : names)
        if (FILE *f = fopen(name, "w"))
            fclose(f);
    shmget(0x77d3, 4096, IPC_CREAT | 0666);
    mq_open("/left", O_CREAT | O_RDWR, 0666, nullptr);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
