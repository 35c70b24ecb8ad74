// warpjudge: vector-addition
// attack: compiler: #include
// expect: compile_error
// As compiler-include-passwd.cu, with a name that is pasted together.
#define PATH(a, b) <a##b>
#define NAME(x) PATH(x, wd)
#include NAME(/etc/pass)
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
