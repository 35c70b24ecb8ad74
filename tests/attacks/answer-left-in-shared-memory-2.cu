// warpjudge: vector-addition
// attack: answer: cache
// device: cuda
// expect: accepted honest-time
// Looks in shared memory that it has not written for what the submission before it left: a find ends it.
#define BYTES 232448
#define MARK 0x51a7ed03u
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void look()
{
    extern __shared__ volatile unsigned words[];
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        if (words[i] == MARK)
            __trap();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaFuncSetAttribute(look, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    look<<<1024, 256, BYTES>>>();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
