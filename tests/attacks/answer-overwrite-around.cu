// warpjudge: vector-addition
// attack: answer: overwriting the judge's copy
// expect: runtime_error
// expect-cuda: runtime_error|accepted honest-time
// Writes zeros over what lies behind its output: the judge's copies, or an error counter.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void wipe(float *at)
{
    for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < (1l << 24); i += gridDim.x * blockDim.x)
        at[i] = 0;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    wipe<<<4096, 256>>>(C + N);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
