// warpjudge: vector-addition
// attack: process: a time slice that does not end
// device: cuda
// expect: time_limit|disqualified|accepted honest-time
// A process may ask the driver for its own queues' time slice. This one's ioctl, put over the C
// library's, hears which groups of queues a context of its own has; each is to have 100 s. When a
// call is armed a kernel of 35 s begins. A judge that waits for its turn all that while must not
// take that for a failure of its own. Where the driver or the card does not obey it is a kernel that was left
// there.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define GROUPS 64
#define GROUP_CLASS 0xa06c         /* KEPLER_CHANNEL_GROUP_A */
#define SET_TIME_SLICE 0xa06c0103u /* NVA06C_CTRL_CMD_SET_TIMESLICE */
#define SLICE_US 100000000ull
#define SPIN_NS 35000000000ull
struct control {
    uint32_t client, object, command, flags;
    uint64_t params;
    uint32_t bytes, status;
};
struct make {
    uint32_t root, parent, made, what;
};
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void spin()
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < SPIN_NS);
}
static make group[GROUPS];
static int file[GROUPS], groups;
static cudaStream_t stream;
static int hear(int fd, unsigned long request, void *arg)
{
    const int rc = (int)syscall(SYS_ioctl, fd, request, arg);
    if ((request & 0xffff) == ('F' << 8 | 0x2b) && ((make *)arg)->what == GROUP_CLASS &&
        groups < GROUPS) {
        file[groups] = fd;
        group[groups++] = *(make *)arg;
    }
    return rc;
}
static ssize_t wait(int fd, struct msghdr *m, int flags)
{
    const ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    if (n > 0 && *(uint32_t *)m->msg_iov->iov_base == 2 && stream != nullptr) {
        spin<<<1024, 256, 0, stream>>>();
        stream = nullptr;
    }
    return n;
}
static void put_over(void *from, void *to)
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    void *const page = (void *)((unsigned long)from & -4096ul);
    memcpy(jump + 2, &to, sizeof to);
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(from, jump, sizeof jump);
}
__attribute__((constructor)) static void patch()
{
    put_over((void *)&ioctl, (void *)&hear);
    put_over((void *)&recvmsg, (void *)&wait);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static bool asked;
    if (N >= 10000000 && !asked) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = nullptr;
        int (*create)(void **, unsigned, int) =
            (int (*)(void **, unsigned, int))dlsym(driver, "cuCtxCreate_v2");
        uint64_t us = SLICE_US;
        asked = true;
        if (create == nullptr || create(&context, 0, 0) != 0)
            abort();
        for (int i = 0; i < groups; i++) {
            control c = {group[i].root, group[i].made, SET_TIME_SLICE, 0, (uint64_t)&us, sizeof us,
                         0};
            syscall(SYS_ioctl, file[i], _IOWR('F', 0x2a, control), &c);
        }
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
