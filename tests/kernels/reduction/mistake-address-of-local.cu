// warpjudge: reduction
// expect: runtime_error
// says: which is not a device address (perhaps the host's)
// A kernel gets the address of a host variable.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, const int *n)
{
    float s = 0;
    for (int i = 0; i < *n; i++)
        s += in[i];
    *out = s;
}
extern "C" void solve(const float *input, float *output, int N)
{
    sum<<<1, 1>>>(input, output, &N);
}
