// warpjudge: vector-addition
// attack: process: files for another submission
// expect: accepted honest-time
// Finds what the submission before it left: files, shared memory, message queues. A find
// ends it.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/shm.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void found(const char *what)
{
    fprintf(stderr, "it worked: %s\n", what);
    abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const char *const names[] = {"/tmp/left", "/dev/shm/left", "/var/tmp/left", "/run/left"};
    static bool looked;
    for (const char *name : names)
        if (!looked && access(name, F_OK) == 0)
            found(name);
    if (!looked && (shmget(0x77d3, 4096, 0) >= 0 || mq_open("/left", O_RDWR) != (mqd_t)-1))
        found("shared memory or a queue");
    looked = true;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
