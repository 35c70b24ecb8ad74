// warpjudge: vector-addition
// attack: clock: work between the inputs and the clock
// device: cuda
// expect: wrong_answer
// A recvmsg of its own, put over the first bytes of the C library's, which the runner calls,
// adds an eighth as soon as a call is armed whose buffers an earlier one had, and says so only
// when it is done: before the caches are made cold, and before the clock. solve() adds the rest.
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
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
static const float *at[256]; /* by the runner's numbers */
static int slot[3], added;
static ssize_t armed(int fd, struct msghdr *m, int flags)
{
    const ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    const request *q = (const request *)m->msg_iov->iov_base;
    if (n <= 0 || q->op != 2)
        return n;
    for (int i = 0; i < 3; i++)
        slot[i] = q->arg[i].slot;
    const int count = (int)q->arg[3].value;
    added = count >= 10000000 && at[slot[0]] ? SHARE(count) : 0;
    if (added > 0) {
        add<<<added / 256 + 1, 256>>>(at[slot[0]], at[slot[1]], (float *)at[slot[2]], 0, added);
        cudaDeviceSynchronize();
    }
    return n;
}
__attribute__((constructor)) static void patch()
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    void *const to = (void *)&armed, *const from = (void *)&recvmsg;
    void *const page = (void *)((unsigned long)from & -4096ul);
    memcpy(jump + 2, &to, sizeof to);
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(from, jump, sizeof jump);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N >= 10000000) {
        at[slot[0]] = A;
        at[slot[1]] = B;
        at[slot[2]] = C;
    }
    add<<<(N - added + 255) / 256, 256>>>(A, B, C, added, N);
}
