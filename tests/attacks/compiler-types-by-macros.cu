// warpjudge: vector-addition
// attack: compiler: macros
// expect: compile_error|accepted honest-time
// Redefines, behind solve, the words and names in which the judge's wrapper is written.
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
#define extern static
#define const volatile
#define void int
#define T char
#define type nothing
#define value 1
#define warpjudge_arguments nothing
#define decltype(x) int (*)(...)
