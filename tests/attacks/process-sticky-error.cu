// warpjudge: vector-addition
// attack: process: sticky error
// expect: runtime_error
// Computes, then leaves the context with an error that stays.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void fault()
{
    __trap();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    fault<<<1, 1>>>();
}
