// warpjudge: vector-addition
// attack: process: an end that takes the driver long
// device: cuda
// expect: accepted honest-time|memory_limit|runtime_error
// In the last test takes pinned memory, managed memory that is on both sides, and thousands of small pieces of the
// GPU's, and frees none. All of it is given back while the next program follows.
#include <cstring>
#include <cuda_runtime.h>
#define PINNED (1ul << 30)
#define MANAGED (2ul << 30)
#define PIECES 3000
#define PIECE (1ul << 20)
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void touch(char *at)
{
    at[4096ul * (blockIdx.x * blockDim.x + threadIdx.x)] = 1;
}
static void take()
{
    char *managed, *pinned, *piece;
    cudaHostAlloc(&pinned, PINNED, cudaHostAllocMapped);
    if (cudaMallocManaged(&managed, MANAGED) == cudaSuccess) {
        touch<<<MANAGED / 4096 / 256, 256>>>(managed);
        cudaDeviceSynchronize();
        memset(managed, 1, MANAGED / 2);
    }
    for (int i = 0; i < PIECES; i++)
        cudaMalloc(&piece, PIECE);
    cudaGetLastError();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N == 1000003)
        take();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
