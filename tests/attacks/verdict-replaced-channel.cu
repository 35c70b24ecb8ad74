// warpjudge: vector-addition
// attack: verdict: replaced descriptors
// expect: disqualified|runtime_error|time_limit
// Puts a socket pair of its own in the channel's place and talks to itself.
#include <sys/socket.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    int pair[2];
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0)
        dup2(pair[0], 3);
}
