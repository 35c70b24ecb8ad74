// warpjudge: vector-addition
// attack: process: processes, survivors
// expect: accepted honest-time
// A thread or a process in a namespace of its own, in which it would have all capabilities: by clone with each
// flag, by clone3, whose flags lie in memory, by unshare. What works ends it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void check(long rc, const char *what, long flags)
{
    if (rc == 0) // in the new process
        _exit(0);
    if (rc > 0) {
        fprintf(stderr, "it worked: %s with flags %lx\n", what, flags);
        abort();
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const long flags[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID, CLONE_NEWNET,
                                 CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP, 0};
    for (long flag : flags) {
        unsigned long long args[11];
        memset(args, 0, sizeof args);
        args[0] = (unsigned long long)flag;
        args[4] = 17; // SIGCHLD
        check(syscall(SYS_clone, flag | 17, 0, 0, 0, 0), "clone", flag);
        check(syscall(SYS_clone3, args, sizeof args), "clone3", flag);
        check(flag != 0 && unshare((int)flag) == 0 ? 1 : -1, "unshare", flag);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
