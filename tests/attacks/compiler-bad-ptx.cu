// warpjudge: vector-addition
// attack: compiler: bombs
// expect: compile_error|runtime_error|accepted honest-time
// PTX with registers and shared memory without measure.
__global__ void bad()
{
    asm volatile(".reg .b32 %x<2147483647>; .shared .b8 big[2147483647];");
}
void (*keep)() = bad;
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
