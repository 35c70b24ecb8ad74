// warpjudge: vector-addition
// attack: answer: cache
// device: cuda
// expect: accepted honest-time
// Looks behind its small buffers, before it has written, for another submission's marks: a find ends it.
#define BYTES (2u << 20)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void look(const unsigned *page)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BYTES / 8 && page[i] == 0x5ba3e11d)
        __trap();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N <= 1000) {
        look<<<BYTES / 1024, 256>>>((const unsigned *)A);
        look<<<BYTES / 1024, 256>>>((const unsigned *)B);
        look<<<BYTES / 1024, 256>>>((const unsigned *)C);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
