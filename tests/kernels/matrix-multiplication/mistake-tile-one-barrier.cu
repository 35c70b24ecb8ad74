// warpjudge: matrix-multiplication
// expect: wrong_answer
// says: where all threads come, __syncthreads() (mistake-tile-one-barrier.cu:
// The second barrier of a tile is forgotten.
#include <cuda_runtime.h>
__global__ void mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, c = blockIdx.x * 16 + x;
    float s = 0;
    for (int k = 0; k < N; k += 16) {
        a[y][x] = r < M && k + x < N ? A[r * N + k + x] : 0;
        b[y][x] = k + y < N && c < K ? B[(k + y) * K + c] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            s += a[y][i] * b[i][x];
    }
    if (r < M && c < K)
        C[r * K + c] = s;
}
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    mm<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
