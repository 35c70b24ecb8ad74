// warpjudge: vector-addition
// attack: process: quotas and leases of the user
// expect: accepted honest-time
// Takes a lease and a watch on files of the system, which all of its user's processes would feel, and as many pending
// signals as there are.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static bool tried;
    int file = open("/usr/bin/env", O_RDONLY), folder = open("/usr/bin", O_RDONLY | O_DIRECTORY), made = 0;
    struct sigevent event = {};
    timer_t timer;

    if (fcntl(file, 1024 /* F_SETLEASE */, F_RDLCK) == 0 || fcntl(folder, 1026 /* F_NOTIFY */, 1) == 0 ||
        fcntl(file, F_GETFD) < 0 || fcntl(file, F_DUPFD_CLOEXEC, 50) < 0)
        abort();
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    while (!tried && made < 5000 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        made++;
    tried = true;
    if (made == 5000)
        abort();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
