// warpjudge: matrix-multiplication
// expect: accepted
// cp.async into 64 KiB of dynamic shared memory.
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
constexpr int T = 32, KT = 128, ST = 2;
extern __shared__ float smem[];
__global__ void
mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    float *As = smem;
    float *Bs = smem + ST * T * KT;
    int tid = threadIdx.y * 32 + threadIdx.x, row0 = blockIdx.y * T,
        col0 = blockIdx.x * T;
    auto load = [&](int s, int k0) {
        for (int i = tid; i < T * KT; i += 1024) {
            int r = i / KT, k = i % KT;
            float *d = As + s * T * KT + i;
            if (row0 + r < M && k0 + k < N)
                __pipeline_memcpy_async(d, A + (row0 + r) * N + k0 + k, 4);
            else
                *d = 0;
            int kk = i / T, c = i % T;
            float *e = Bs + s * T * KT + i;
            if (col0 + c < K && k0 + kk < N)
                __pipeline_memcpy_async(e, B + (k0 + kk) * K + col0 + c, 4);
            else
                *e = 0;
        }
    };
    float acc = 0;
    int s = 0;
    load(0, 0);
    __pipeline_commit();
    for (int k0 = 0; k0 < N; k0 += KT) {
        if (k0 + KT < N)
            load(s ^ 1, k0 + KT);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < KT; k++)
            acc += As[s * T * KT + threadIdx.y * KT + k] *
                   Bs[s * T * KT + k * T + threadIdx.x];
        __syncthreads();
        s ^= 1;
    }
    int r = row0 + threadIdx.y, c = col0 + threadIdx.x;
    if (r < M && c < K)
        C[r * K + c] = acc;
}
extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    int bytes = ST * 2 * T * KT * sizeof(float);
    cudaFuncSetAttribute(mm, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaFuncSetAttribute(mm, cudaFuncAttributePreferredSharedMemoryCarveout,
                         cudaSharedmemCarveoutMaxShared);
    mm<<<dim3((K + T - 1) / T, (M + T - 1) / T), dim3(32, 32), bytes>>>(A, B, C, M, N, K);
}
