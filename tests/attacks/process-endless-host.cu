// warpjudge: vector-addition
// attack: process: endless host loop
// expect: time_limit
// A host loop that never ends.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (volatile int i = 0;; i = i + 1)
        ;
}
