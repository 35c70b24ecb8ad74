// warpjudge: vector-addition
// attack: compiler: linker
// expect: disqualified|wrong_answer|compile_error
// A section attribute puts a function among those that run first; it says DONE three times.
#include <sys/socket.h>
static void early(int, char **, char **)
{
    static char done[488] = {6};
    for (int i = 0; i < 3; i++)
        send(3, done, sizeof done, MSG_DONTWAIT);
}
__attribute__((section(".preinit_array"), used)) static void (*at)(int, char **, char **) = early;
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
