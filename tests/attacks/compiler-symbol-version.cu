// warpjudge: vector-addition
// attack: compiler: linker
// expect: compile_error|accepted honest-time
// A version of send that sends nothing.
asm(".symver fake_send,send@@GLIBC_2.2.5");
extern "C" long fake_send(int, const void *, unsigned long, int)
{
    return 488;
}
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
