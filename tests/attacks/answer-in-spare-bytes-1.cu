// warpjudge: vector-addition
// attack: answer: cache
// device: cuda
// expect: accepted honest-time
// Marks the bytes that a GPU maps behind a small output, for a later submission whose buffer is there.
#define BYTES (2u << 20)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void mark(unsigned *page)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BYTES / 8)
        page[i] = 0x5ba3e11d;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N <= 1000)
        mark<<<BYTES / 1024, 256>>>((unsigned *)C);
}
