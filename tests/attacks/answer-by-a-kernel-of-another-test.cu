// warpjudge: vector-addition
// attack: answer: stale pointers
// device: cuda
// expect: accepted honest-time|wrong_answer|disqualified
// Tests of one size have the same buffers. The first test leaves a kernel there that adds what it finds, again and
// again, and the next ones do nothing in solve(): their answers are made by that kernel, before they are called.
// cudaDeviceSynchronize does not wait for it. What is timed is called as it should be, and must take as long.
#include <cstring>
#include <sys/mman.h>
#include <cuda_runtime.h>
#define FEW 4096
#define PATIENCE_NS 2000000000ull
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void stay(const volatile float *a, const volatile float *b, volatile float *c, const volatile int *over)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do {
        for (int i = threadIdx.x; i < FEW; i += blockDim.x)
            c[i] = a[i] + b[i];
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (*over == 0 && now - begin < PATIENCE_NS);
}
static cudaStream_t stream;
static int *over;
static const float *at;
static cudaError_t wait_for_the_rest()
{
    return cudaStreamSynchronize(nullptr);
}
__attribute__((constructor)) static void patch()
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    void *const to = (void *)&wait_for_the_rest, *const from = (void *)&cudaDeviceSynchronize;
    void *const page = (void *)((unsigned long)from & -4096ul);
    memcpy(jump + 2, &to, sizeof to);
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(from, jump, sizeof jump);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (stream == nullptr) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMallocHost(&over, sizeof *over);
        *over = 0;
        at = A;
        stay<<<1, 1024, 0, stream>>>(A, B, C, over);
        cudaStreamQuery(stream);
        return;
    }
    if (A == at && N <= FEW)
        return;
    *over = 1;
    cudaStreamSynchronize(stream);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
