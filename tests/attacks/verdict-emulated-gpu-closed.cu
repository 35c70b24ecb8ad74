// warpjudge: vector-addition
// attack: verdict: the GPU's socket
// expect: runtime_error|disqualified|wrong_answer
// device: emu
// Closes the emulated GPU's socket after the work.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    close(4);
}
