// warpjudge: vector-addition
// attack: compiler: linker
// expect: accepted honest-time
// As compiler-own-main.cu, in assembly: behind the compiler's back.
asm(".globl main\nmain: xor %eax, %eax\nret");
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
