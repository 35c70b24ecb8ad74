// warpjudge: vector-addition
// attack: answer: scanning the device
// expect: runtime_error
// expect-cuda: runtime_error|accepted honest-time
// Reads device memory from the end of the output on, for the sums that the judge must keep
// somewhere.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void scan(const float *a, const float *b, float *c, const float *from, int *hit)
{
    const float want = a[0] + b[0];
    for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < (1l << 24); i += gridDim.x * blockDim.x)
        if (from[i] == want)
            *hit = 1;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static int *hit;
    if (!hit)
        cudaMalloc(&hit, sizeof *hit);
    scan<<<4096, 256>>>(A, B, C, C + N, hit);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
