// warpjudge: vector-addition
// attack: process: the GPU faults when the process ends
// device: cuda
// expect: wrong_answer|runtime_error
// In the last test it leaves kernels that write where nothing is, some milliseconds later, says that it is done,
// and is wrong. The driver clears up behind it while the next program begins, which must not notice.
#include <sys/socket.h>
#include <unistd.h>
#define DELAY_NS 3000000ull
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void fault()
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < DELAY_NS);
    *(volatile unsigned *)(16 + 4096ul * (blockIdx.x * blockDim.x + threadIdx.x)) = 1;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N != 1000003) {
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        return;
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    fault<<<1024, 256, 0, stream>>>();
    cudaStreamQuery(stream);
    static char reply[488];
    *(unsigned *)reply = 6; /* DONE */
    send(3, reply, sizeof reply, 0);
    for (;;)
        pause();
}
