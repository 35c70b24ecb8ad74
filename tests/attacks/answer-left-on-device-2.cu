// warpjudge: vector-addition
// attack: answer: cache
// expect: accepted honest-time
// Looks in fresh device memory for what the submission before it left: a find ends it.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void look(const unsigned *at)
{
    if (at[(blockIdx.x * blockDim.x + threadIdx.x) * 64] == 0x77d3a511)
        __trap();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static unsigned *fresh;
    if (!fresh && cudaMalloc(&fresh, 64 << 20) == cudaSuccess)
        look<<<1024, 256>>>(fresh);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
