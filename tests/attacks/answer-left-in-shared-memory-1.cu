// warpjudge: vector-addition
// attack: answer: cache
// device: cuda
// expect: accepted honest-time
// Marks all shared memory of all multiprocessors behind each call, for the next submission to find.
#define BYTES 232448
#define MARK 0x51a7ed03u
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void mark()
{
    extern __shared__ volatile unsigned words[];
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        words[i] = MARK;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaFuncSetAttribute(mark, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    mark<<<1024, 256, BYTES>>>();
}
