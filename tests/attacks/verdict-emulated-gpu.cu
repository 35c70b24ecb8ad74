// warpjudge: vector-addition
// attack: verdict: the GPU's socket
// expect: runtime_error|disqualified|wrong_answer|time_limit
// device: emu
// Writes nonsense to the emulated GPU's socket.
#include <sys/socket.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static char bytes[65536];
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = i * 7919 >> 3;
    for (int i = 0; i < 64; i++)
        send(4, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
}
