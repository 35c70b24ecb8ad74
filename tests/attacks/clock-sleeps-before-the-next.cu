// warpjudge: vector-addition
// attack: clock: a GPU that sleeps when the next program's empty calls begin
// device: cuda
// expect: wrong_answer|time_limit
// Leaves the GPU idle for five seconds in its last test and is wrong. An empty call that takes longer on a GPU that
// has lost its clocks would make the next program's time too short, and a judgement that has just ended does not
// mean that they are up.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N == 1000003)
        sleep(5);
    else
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
