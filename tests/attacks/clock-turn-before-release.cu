// warpjudge: vector-addition
// attack: clock: the card's turn before the clock
// device: cuda
// expect: accepted honest-time|wrong_answer|compile_error|disqualified
// While the judge makes the caches cold, and this program waits for its release, it launches
// a kernel that waits for a word of host memory: the card turns to it as soon as the judge's
// work is done, some 20 us before the judge hears of that. When to launch it learns from how
// it went before.
#include <cstdint>
#include <ctime>
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
extern "C" int warpjudge_memory_address(int32_t slot, uint64_t *address);
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
    uint64_t at[3];
    for (int i = 0; i < 3; i++)
        warpjudge_memory_address(call.arg[i].slot, &at[i]);
    gate<<<1, 1, 0, stream>>>(w, ++number);
    add<<<132 * 8, 256, 0, stream>>>(w, number, (float *)at[0], (float *)at[1], (float *)at[2],
                                     (int)call.arg[3].value);
    launched = true;
    armed = false;
}
extern "C" ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    if (armed && now_ns() - armed_ns > delay_ns)
        launch();
    const ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    const request *q = (const request *)m->msg_iov->iov_base;
    if (n > 0 && q->op == 2 && q->arg[3].value >= 10000000 && w != nullptr) {
        call = *q;
        armed = true;
        armed_ns = now_ns();
    }
    return n;
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
    if (w == nullptr && N >= 10000000) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMallocHost((void **)&w, sizeof *w);
        w->go = w->seen = 0;
    }
}
