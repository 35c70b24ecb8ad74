// warpjudge: vector-addition
// attack: clock: the card's turn before the clock
// device: cuda
// expect: accepted honest-time|wrong_answer|disqualified
// While the judge makes the caches cold, and this program waits for its release, it launches
// a kernel that waits for a word of host memory: the card turns to it as soon as the judge's
// work is done, some 20 us before the judge hears of that. When to launch it learns from how
// it went before. Its recvmsg, put over the first bytes of the C library's, is what the runner
// waits in; where a set's buffers are it knows from the first call that had them.
#include <cstdint>
#include <cstring>
#include <ctime>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define PATIENCE_NS 300000
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
struct words {
    volatile unsigned go, seen;
};
__global__ void gate(words *w, unsigned number)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (w->go != number && now - begin < PATIENCE_NS);
    if (w->go == number)
        w->seen = number;
}
__global__ void add(const words *w, unsigned number, const float *a, const float *b, float *c,
                    int n)
{
    __shared__ bool go;
    if (threadIdx.x == 0)
        go = w == nullptr || w->seen == number;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; go && i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
static float *at[512]; // by the runner's numbers
static words *w;
static cudaStream_t stream;
static request call;
static unsigned number;
static bool armed, launched;
static long armed_ns, delay_ns = 30000;
static long now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}
static void launch()
{
    gate<<<1, 1, 0, stream>>>(w, ++number);
    add<<<132 * 8, 256, 0, stream>>>(w, number, at[call.arg[0].slot], at[call.arg[1].slot],
                                     at[call.arg[2].slot], (int)call.arg[3].value);
    launched = true;
    armed = false;
}
static ssize_t wait(int fd, struct msghdr *m, int flags)
{
    if (armed && now_ns() - armed_ns > delay_ns)
        launch();
    const ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    const request *q = (const request *)m->msg_iov->iov_base;
    if (n > 0 && q->op == 2 && q->arg[3].value >= 10000000) {
        call = *q;
        armed = w != nullptr && at[q->arg[0].slot] != nullptr;
        armed_ns = now_ns();
    }
    return n;
}
__attribute__((constructor)) static void patch()
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    void *const to = (void *)&wait, *const from = (void *)&recvmsg;
    void *const page = (void *)((unsigned long)from & -4096ul);
    memcpy(jump + 2, &to, sizeof to);
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(from, jump, sizeof jump);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (launched) {
        w->go = number;
        cudaStreamSynchronize(stream);
        launched = false;
        if (w->seen == number)
            return;
        delay_ns = delay_ns < 2000000 ? delay_ns + 10000 : 30000; /* it was too early */
    }
    armed = false;
    add<<<132 * 8, 256>>>(nullptr, 0, A, B, C, N);
    if (N >= 10000000) {
        at[call.arg[0].slot] = (float *)A;
        at[call.arg[1].slot] = (float *)B;
        at[call.arg[2].slot] = C;
    }
    if (w == nullptr && N >= 10000000) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMallocHost((void **)&w, sizeof *w);
        w->go = w->seen = 0;
    }
}
