// warpjudge: vector-addition
// attack: compiler: linker
// expect: accepted honest-time
// solve is assembly, and no function of that name is declared: the wrapper finds no type.
asm(".globl solve\nsolve: jmp other@PLT");
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void other(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
