// warpjudge: vector-addition
// attack: verdict: forged messages
// expect: disqualified
// says: channel
// Sends packets of every wrong size.
#include <sys/socket.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static char bytes[4096];
    for (int size = 1; size < 4096; size *= 3)
        send(3, bytes, size, 0);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
