// warpjudge: vector-addition
// attack: process: holding the device
// expect: time_limit
// Works for ever in the class for idle CPUs: on a busy machine it would wait for one, and
// not be charged for that.
#include <sched.h>
#include <sys/resource.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const sched_param none = {};
    sched_setscheduler(0, SCHED_IDLE, &none);
    setpriority(PRIO_PROCESS, 0, 19);
    for (volatile long i = 0;; i++)
        ;
}
