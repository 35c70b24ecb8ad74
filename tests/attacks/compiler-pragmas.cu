// warpjudge: vector-addition
// attack: compiler: pragmas
// expect: accepted honest-time|compile_error
// Pragmas that change how the rest, the judge's part included, is compiled.
#pragma pack(1)
#pragma GCC optimize("O0,fast-math")
#pragma GCC visibility push(hidden)
#pragma nv_diag_suppress 20
#pragma GCC diagnostic ignored "-Wall"
#pragma weak warpjudge_entry
#pragma redefine_extname warpjudge_entry other_entry
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
