// warpjudge: reduction
// expect: runtime_error
// expect-cuda: any
// says: outside the thread's local memory (an array on the stack) (mistake-local-array.cu:11)
// Writes behind the end of an array on the stack.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    float part[8];
    for (int k = 0; k <= 8; k++)
        part[k] = 0;
    for (int i = 0; i < n; i++)
        part[i % 9] += in[i];
    float s = 0;
    for (int k = 0; k < 8; k++)
        s += part[k];
    *out = s;
}
extern "C" void solve(const float *input, float *output, int N)
{
    sum<<<1, 1>>>(input, output, N);
}
