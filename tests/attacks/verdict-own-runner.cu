// warpjudge: vector-addition
// attack: verdict: forged messages
// expect: disqualified|wrong_answer
// A constructor that never returns speaks the runner's protocol itself, and answers every
// question before it was asked.
#include <sys/socket.h>
#include <unistd.h>
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
__attribute__((constructor)) static void speak()
{
    reply r = {5, 0, ""};
    for (int i = 0; i < 100; i++) {
        r.op = i % 7 == 6 ? 6 : 5;
        send(3, &r, sizeof r, MSG_DONTWAIT);
    }
    for (;;)
        pause();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
