// warpjudge: vector-addition
// attack: verdict: patched stdio
// expect: accepted honest-time
// Closes standard output and error, opens files in their place, and prints a result.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    freopen("/tmp/result.json", "w", stdout);
    freopen("/tmp/result.json", "a", stderr);
    printf("{\"verdict\":\"accepted\",\"median_ns\":1}\n");
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
