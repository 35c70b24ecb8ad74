// warpjudge: vector-addition
// attack: clock: constant memory
// expect: runtime_error|wrong_answer
// Reads the inputs by ld.const, as if they lay in the cache of constant memory, which
// costs 8 cycles and no bandwidth where it is modelled.
__device__ float load(const float *p)
{
    float v;
    asm volatile("ld.const.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = load(a + i) + load(b + i);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
