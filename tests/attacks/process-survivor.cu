// warpjudge: vector-addition
// attack: process: surviving the judgement
// expect: runtime_error|accepted honest-time
// Makes a process that leaves its session, ignores every signal and its parent's death, and
// sleeps for an hour; then ends.
#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (int s = 1; s < 32; s++)
        signal(s, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            sleep(3600);
        _exit(0);
    }
    if (vfork() == 0)
        execl("/usr/bin/sleep", "sleep", "3600", nullptr);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
