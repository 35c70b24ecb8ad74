// warpjudge: reduction
// expect: wrong_answer
// says: must stay as it is
// The input is used as a place for sums.
#include <cuda_runtime.h>
__global__ void sum(float *in, float *out, int n)
{
    for (int i = 1; i < n; i++)
        in[0] += in[i];
    *out = in[0];
}
extern "C" void solve(const float *input, float *output, int N)
{
    sum<<<1, 1>>>((float *)input, output, N);
}
