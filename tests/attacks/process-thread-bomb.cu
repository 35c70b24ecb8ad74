// warpjudge: vector-addition
// attack: process: thread bomb
// expect: accepted honest-time|runtime_error|memory_limit
// Makes threads until there is no more room for one.
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
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
static void *sleeps(void *)
{
    for (;;)
        pause();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static int made;
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    while (made < 2000 && pthread_create(&thread, &small, sleeps, nullptr) == 0)
        made++;
    if (made >= 2000)
        found("2000 threads");
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
