// warpjudge: vector-addition
// attack: clock: work between the inputs and the clock
// device: cuda
// expect: wrong_answer|compile_error
// The runner calls this program's own recvmsg, which adds an eighth as soon as a call's
// buffers are named, and says so only when it is done: before the caches are made cold, and
// before the clock. solve() adds the rest.
#include <cstdint>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define SHARE(n) ((n) / 8)
__global__ void add(const float *a, const float *b, float *c, int first, int n)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct request {
    uint32_t op, memory;
    uint64_t bytes, address;
    uint32_t device, awake_ms, cpu, args;
    struct {
        int32_t slot;
        uint32_t pad;
        uint64_t value;
    } arg[4];
};
extern "C" int warpjudge_memory_address(int32_t slot, uint64_t *address);
extern "C" ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    const ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    const request *q = (const request *)m->msg_iov->iov_base;
    const int count = n > 0 && q->op == 2 ? (int)q->arg[3].value : 0;
    uint64_t at[3];
    if (count < 10000000)
        return n;
    for (int i = 0; i < 3; i++)
        warpjudge_memory_address(q->arg[i].slot, &at[i]);
    add<<<SHARE(count) / 256 + 1, 256>>>((float *)at[0], (float *)at[1], (float *)at[2], 0,
                                         SHARE(count));
    cudaDeviceSynchronize();
    return n;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const int first = N < 10000000 ? 0 : SHARE(N);
    add<<<(N - first + 255) / 256, 256>>>(A, B, C, first, N);
}
