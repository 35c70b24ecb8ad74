// warpjudge: matrix-multiplication
// expect: accepted
// Register tiles, double-buffered shared memory, float4 reads from it.
#include <cuda_runtime.h>
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    sgemm(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
          int M, int N, int K)
{
    __shared__ float As[2][BK][BM], Bs[2][BK][BN];
    constexpr int NT = (BM / TM) * (BN / TN);
    int tid = threadIdx.x, tr = tid / (BN / TN), tc = tid % (BN / TN),
        r0 = blockIdx.y * BM, c0 = blockIdx.x * BN;
    float acc[TM][TN] = {}, ra[TM], rb[TN];
    auto load = [&](int s, int k0) {
        for (int i = tid; i < BM * BK; i += NT) {
            int r = i / BK, k = i % BK;
            As[s][k][r] = (r0 + r < M && k0 + k < N) ? A[(r0 + r) * N + k0 + k] : 0.f;
        }
        for (int i = tid; i < BK * BN; i += NT) {
            int k = i / BN, c = i % BN;
            Bs[s][k][c] =
                (c0 + c < K && k0 + k < N) ? __ldg(&B[(k0 + k) * K + c0 + c]) : 0.f;
        }
    };
    int s = 0;
    load(0, 0);
    __syncthreads();
    for (int k0 = 0; k0 < N; k0 += BK) {
        if (k0 + BK < N)
            load(s ^ 1, k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k++) {
#pragma unroll
            for (int i = 0; i < TM; i++)
                ra[i] = As[s][k][tr * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j += 4) {
                float4 v = *reinterpret_cast<float4 *>(&Bs[s][k][tc * TN + j]);
                rb[j] = v.x;
                rb[j + 1] = v.y;
                rb[j + 2] = v.z;
                rb[j + 3] = v.w;
            }
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        s ^= 1;
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            int r = r0 + tr * TM + i, c = c0 + tc * TN + j;
            if (r < M && c < K)
                C[r * K + c] = acc[i][j];
        }
}
extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    sgemm<64, 64, 8, 4, 4><<<dim3((K + 63) / 64, (M + 63) / 64), 256>>>(A, B, C, M, N, K);
}
