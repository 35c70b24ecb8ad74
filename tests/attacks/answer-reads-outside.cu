// warpjudge: vector-addition
// attack: answer: reads outside the buffers
// expect: runtime_error
// expect-cuda: runtime_error|accepted honest-time
// Reads one row beyond the ends of the inputs, with no use for it.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void far(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = a[i] + b[i];
    if (i < n || sum == 1234.5f)
        c[i] = sum;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    far<<<(N + 255) / 256 + 16, 256>>>(A, B, C, N);
}
