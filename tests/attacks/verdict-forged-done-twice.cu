// warpjudge: vector-addition
// attack: verdict: forged messages
// expect: wrong_answer|disqualified
// Computes, and says DONE for this call and the next.
#include <sys/socket.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct reply {
    unsigned op;
    int status;
    char text[480];
};
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const reply done = {6, 0, "accepted"};
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    send(3, &done, sizeof done, 0);
}
