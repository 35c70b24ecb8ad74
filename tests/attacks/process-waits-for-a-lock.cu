// warpjudge: vector-addition
// attack: process: holding the device
// expect: time_limit
// One thread holds the lock of the address space again and again, the others wait for it
// uninterruptibly.
#include <sys/mman.h>
#include <thread>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const size_t bytes = (size_t)1 << 28;
    for (int t = 0; t < 3; t++)
        std::thread([=] {
            for (;;) {
                void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
                if (p != MAP_FAILED)
                    munmap(p, bytes);
            }
        }).detach();
    for (;;)
        munmap(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}
