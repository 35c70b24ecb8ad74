// warpjudge: vector-addition
// attack: compiler: PTX that only ptxas reads
// expect: compile_error
// says: error: ptxas: Not a name of any known instruction
// An instruction that does not exist, in inline assembly, which nvcc passes on unread. The
// kernel never executes it.
__device__ float load(const float *p)
{
    float v;
    asm volatile("foo.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = n < 0 ? load(a) : a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
