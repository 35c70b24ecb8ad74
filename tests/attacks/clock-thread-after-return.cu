// warpjudge: vector-addition
// attack: clock: work after solve() has returned
// expect: wrong_answer
// A detached thread launches the kernel after solve() has returned and the clock, it hopes,
// has stopped.
#include <pthread.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct call {
    const float *A, *B;
    float *C;
    int N;
};
static void *late(void *at)
{
    const call c = *(call *)at;
    usleep(300000);
    add<<<(c.N + 255) / 256, 256>>>(c.A, c.B, c.C, c.N);
    return nullptr;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static struct call call;
    pthread_t thread;
    call = {A, B, C, N};
    pthread_create(&thread, nullptr, late, &call);
    pthread_detach(thread);
}
