// warpjudge: vector-addition
// attack: clock: GOT patching
// expect: accepted honest-time|wrong_answer|disqualified
// Looks for the addresses of send and recvmsg in its own writable and read-only data, where
// the linker keeps them, and puts its own there: replies leave before the work is done.
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static volatile bool in_call;
extern char __executable_start, _end;
static ssize_t early(int fd, const void *data, size_t size, int flags)
{
    return syscall(SYS_sendto, fd, data, size, flags, nullptr, 0);
}
__attribute__((constructor)) static void patch()
{
    const unsigned long first = ((unsigned long)&__executable_start + 4095) & -4096ul;
    const unsigned long last = (unsigned long)&_end & -4096ul;
    for (unsigned long page = first; page < last; page += 4096) {
        unsigned char resident;
        if (mincore((void *)page, 4096, &resident) != 0 ||
            mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
            continue;
        for (unsigned long at = page; at < page + 4096; at += sizeof(void *))
            if (*(void **)at == (void *)&send)
                *(void **)at = (void *)&early;
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    in_call = true;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    in_call = false;
}
