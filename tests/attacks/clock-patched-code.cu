// warpjudge: vector-addition
// attack: clock: code detour
// expect: accepted honest-time|wrong_answer|runtime_error
// A constructor overwrites the first bytes of cudaDeviceSynchronize with xor %eax, %eax;
// ret.
#include <cstring>
#include <sys/mman.h>
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void patch()
{
    static const unsigned char code[] = {0x31, 0xc0, 0xc3};
    char *at = (char *)&cudaDeviceSynchronize;
    char *page = (char *)((unsigned long)at & -4096ul);
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(at, code, sizeof code);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
