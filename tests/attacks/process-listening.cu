// warpjudge: vector-addition
// attack: process: abstract sockets
// expect: accepted honest-time
// Leaves an abstract socket listening, as if for another submission: it lies in a network
// namespace that ends with this one.
#include <sys/socket.h>
#include <sys/un.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static int left = -1;
    if (left < 0) {
        struct sockaddr_un a = {AF_UNIX, "\0left"};
        left = socket(AF_UNIX, SOCK_STREAM, 0);
        bind(left, (struct sockaddr *)&a, sizeof a);
        listen(left, 1);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
