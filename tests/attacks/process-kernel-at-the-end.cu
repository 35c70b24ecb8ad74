// warpjudge: vector-addition
// attack: process: the GPU and its bus busy when the process ends
// device: cuda
// expect: wrong_answer|runtime_error|time_limit
// In the last test it leaves kernels of twenty seconds on all multiprocessors, and gigabytes to copy over the bus
// in both directions, says that it is done, and is wrong. All that must be over before anything of the next
// program is timed.
#include <sys/socket.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define SPIN_NS 20000000000ull
#define BYTES (128ul << 20)
#define COPIES 200
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
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N != 1000003) {
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        return;
    }
    cudaStream_t stream[3];
    char *host[2] = {}, *device[2] = {};
    for (int i = 0; i < 3; i++)
        cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++) {
        cudaMallocHost(&host[i], BYTES);
        cudaMalloc(&device[i], BYTES);
    }
    for (int i = 0; i < COPIES; i++) {
        cudaMemcpyAsync(device[0], host[0], BYTES, cudaMemcpyHostToDevice, stream[0]);
        cudaMemcpyAsync(host[1], device[1], BYTES, cudaMemcpyDeviceToHost, stream[1]);
    }
    for (int i = 0; i < 100; i++)
        spin<<<4096, 1024, 0, stream[2]>>>();
    static char reply[488];
    *(unsigned *)reply = 6; /* DONE */
    send(3, reply, sizeof reply, 0);
    for (;;)
        pause();
}
