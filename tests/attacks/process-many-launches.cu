// warpjudge: vector-addition
// attack: process: holding the device
// expect: time_limit
// Launches for ever; each launch is small.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (;;)
        add<<<1, 32>>>(A, B, C, N < 32 ? N : 32);
}
