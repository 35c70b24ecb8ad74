// warpjudge: vector-addition
// attack: compiler: linker
// expect: accepted honest-time
// A dynamic linker of its own, which is not there: a program could not be started with it. Of
// what is loaded into a runner nobody reads it.
asm(".section .interp,\"a\"\n.string \"/tmp/ld.so\"\n.text");
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
