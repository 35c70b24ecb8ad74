// warpjudge: vector-addition
// attack: clock: registers
// expect: runtime_error
// A block of 1024 threads, each of which needs more than the 64 registers that there are
// for it. A GPU refuses the launch. The registers are hidden in a function that is not
// inlined.
#define KEPT 192
#define EACH 4
__device__ __noinline__ void add_all(const float *a, const float *b, float *c, int n, int first)
{
    int step = blockDim.x;
    float x[EACH], y[EACH];
    if (n < 0) {
        float kept[KEPT];
#pragma unroll
        for (int k = 0; k < KEPT; k++)
            kept[k] = ((volatile const float *)a)[k * n];
#pragma unroll
        for (int k = 0; k < KEPT; k++)
            ((volatile float *)c)[k] = kept[k] * kept[KEPT - 1 - k];
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = min(first + k * step, n - 1);
        x[k] = a[i];
        y[k] = b[i];
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * step < n)
            c[first + k * step] = x[k] + y[k];
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    add_all(a, b, c, n, blockIdx.x * blockDim.x * EACH + threadIdx.x);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + EACH * 1024 - 1) / (EACH * 1024), 1024>>>(A, B, C, N);
}
