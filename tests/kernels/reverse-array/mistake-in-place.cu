// warpjudge: reverse-array
// expect: wrong_answer
// says: nothing orders the two
// Each thread overwrites what another one reads.
#include <cuda_runtime.h>
__global__ void rev(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[n - 1 - i];
}
extern "C" void solve(float *input, int N)
{
    rev<<<(N + 255) / 256, 256>>>(input, N);
}
