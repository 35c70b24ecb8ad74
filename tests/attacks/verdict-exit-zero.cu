// warpjudge: vector-addition
// attack: verdict: leaving with success
// expect: runtime_error
// says: status 0
// Prints what the judge's own words might be, and leaves with status 0.
#include <cstdio>
#include <cstdlib>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    puts("{\"verdict\":\"accepted\",\"time_ns\":1}");
    puts("All tests passed");
    fflush(stdout);
    exit(0);
}
