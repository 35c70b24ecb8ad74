// warpjudge: vector-addition
// attack: clock: GOT patching
// expect: accepted honest-time|wrong_answer|runtime_error|disqualified
// Looks for the address of cudaDeviceSynchronize in its own data, where the linker has put it
// for the runner, and for that of send in the runner's, and puts its own there: replies leave
// before the work is done. Where the machine is busy the work may find its buffers freed.
#include <link.h>
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
static cudaError_t at_once()
{
    return cudaSuccess;
}
static ssize_t early(int fd, const void *data, size_t size, int flags)
{
    return syscall(SYS_sendto, fd, data, size, flags, nullptr, 0);
}
static int patch_object(dl_phdr_info *object, size_t, void *)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) &part = object->dlpi_phdr[i];
        const unsigned long first = (object->dlpi_addr + part.p_vaddr) & -4096ul;
        const unsigned long last = object->dlpi_addr + part.p_vaddr + part.p_memsz;
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_W) ||
            mprotect((void *)first, last - first, PROT_READ | PROT_WRITE) != 0)
            continue;
        for (void **at = (void **)first; (unsigned long)at < last; at++) {
            if (*at == (void *)&send)
                *at = (void *)&early;
            if (*at == (void *)&cudaDeviceSynchronize)
                *at = (void *)&at_once;
        }
    }
    return 0;
}
__attribute__((constructor)) static void patch()
{
    dl_iterate_phdr(patch_object, nullptr);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
