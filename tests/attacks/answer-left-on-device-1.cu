// warpjudge: vector-addition
// attack: answer: cache
// expect: accepted honest-time
// Leaves marked memory on the device and does not free it, for the next submission to find.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void mark(unsigned *to)
{
    to[(blockIdx.x * blockDim.x + threadIdx.x) * 64] = 0x77d3a511;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static unsigned *kept;
    if (!kept && cudaMalloc(&kept, 64 << 20) == cudaSuccess)
        mark<<<1024, 256>>>(kept);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
