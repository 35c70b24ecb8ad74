// warpjudge: rgb-to-grayscale
// attack: clock: lines that the flush cannot evict
// device: cuda
// expect: accepted honest-time|wrong_answer|disqualified
// honest: rgb-to-grayscale/naive
// When a call is armed, a kernel loads the lines of its inputs again and again, as those that the
// L2 shall evict last, for somewhat less time than is noticed: also after the judge has reset what
// persists, and before its fill. If the fill, and the flush behind it, leave the lines where they
// are, the inputs are not cold. This program's recvmsg, put over the C library's, is what the
// runner waits in; where a set's buffers are is known from the first call that had them. The
// kernel of the call takes 2 us for nothing, so that only a gain is seen.
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define MARKING_NS 700000
#define PIXELS (2048 * 2048)
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
static __device__ unsigned long long now_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}
__global__ void mark(const float *input, long n, float *sink)
{
    const unsigned long long begin = now_ns();
    unsigned long long policy;
    float sum = 0;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    while (now_ns() - begin < MARKING_NS)
        for (long i = 4l * (blockIdx.x * blockDim.x + threadIdx.x); i + 4 <= n;
             i += 4l * gridDim.x * blockDim.x) {
            float x, y, z, w;
            asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;"
                         : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                         : "l"(input + i), "l"(policy)
                         : "memory");
            sum += x + y + z + w;
        }
    if (sum == 12345.678f)
        *sink = sum;
}
__global__ void to_gray(const float *input, float *output, int pixels, unsigned idle_ns)
{
    const unsigned long long begin = idle_ns != 0 ? now_ns() : 0;
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pixels)
        output[p] =
            0.299f * input[3 * p] + 0.587f * input[3 * p + 1] + 0.114f * input[3 * p + 2];
    while (idle_ns != 0 && blockIdx.x == 0 && now_ns() - begin < idle_ns)
        ;
}
static const float *at[512]; // by the runner's numbers
static cudaStream_t stream;
static float *sink;
static int slot = -1;
static ssize_t wait(int fd, struct msghdr *m, int flags)
{
    const ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    const request *q = (const request *)m->msg_iov->iov_base;
    if (n <= 0 || q->op != 2 || (int)q->arg[2].value * (int)q->arg[3].value != PIXELS)
        return n;
    slot = q->arg[0].slot;
    if (at[slot] != nullptr)
        mark<<<132 * 4, 512, 0, stream>>>(at[slot], 3l * PIXELS, sink);
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
extern "C" void solve(const float *input, float *output, int width, int height)
{
    const int pixels = width * height;
    to_gray<<<(pixels + 255) / 256, 256>>>(input, output, pixels, pixels == PIXELS ? 2000 : 0);
    if (pixels != PIXELS || slot < 0)
        return;
    if (sink == nullptr) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMalloc(&sink, sizeof *sink);
    }
    at[slot] = input;
}
