// warpjudge: vector-addition
// attack: verdict: forging at exit
// expect: runtime_error|disqualified|wrong_answer
// Handlers and a destructor say DONE while the process leaves.
#include <cstdlib>
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
static void say()
{
    const reply done = {6, 0, ""};
    send(3, &done, sizeof done, 0);
}
__attribute__((destructor)) static void last()
{
    say();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    atexit(say);
    exit(0);
}
