// warpjudge: flash-attention-backward
// A thread for each row of each gradient, in double; every probability is computed again where it is used.
#include <cuda_fp16.h>

__device__ double
dot(const __half *a, const __half *b, int D)
{
    double sum = 0;

    for (int d = 0; d < D; d++)
        sum += (double)__half2float(a[d]) * __half2float(b[d]);
    return sum;
}

__global__ void
queries(const __half *Q, const __half *K, const __half *V, const __half *O, const float *LSE, const __half *dO,
        __half *dQ, int rows, int S, int D)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= rows)
        return;
    const int i = row % S, head = row - i;
    const double scale = 1 / sqrt((double)D), delta = dot(dO + row * D, O + row * D, D);
    double sum[128] = {0};

    for (int j = head; j <= head + i; j++) {
        double p = exp(scale * dot(Q + row * D, K + j * D, D) - LSE[row]);
        double z = p * (dot(dO + row * D, V + j * D, D) - delta);

        for (int d = 0; d < D; d++)
            sum[d] += scale * z * __half2float(K[j * D + d]);
    }
    for (int d = 0; d < D; d++)
        dQ[row * D + d] = __double2half(sum[d]);
}

__global__ void
keys(const __half *Q, const __half *K, const __half *V, const __half *O, const float *LSE, const __half *dO,
     __half *dK, __half *dV, int rows, int S, int D)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= rows)
        return;
    const int end = row - row % S + S;
    const double scale = 1 / sqrt((double)D);
    double sum_k[128] = {0}, sum_v[128] = {0};

    for (int i = row; i < end; i++) {
        double p = exp(scale * dot(Q + i * D, K + row * D, D) - LSE[i]);
        double z = p * (dot(dO + i * D, V + row * D, D) - dot(dO + i * D, O + i * D, D));

        for (int d = 0; d < D; d++) {
            sum_k[d] += scale * z * __half2float(Q[i * D + d]);
            sum_v[d] += p * __half2float(dO[i * D + d]);
        }
    }
    for (int d = 0; d < D; d++) {
        dK[row * D + d] = __double2half(sum_k[d]);
        dV[row * D + d] = __double2half(sum_v[d]);
    }
}

extern "C" void
solve(const __half *Q, const __half *K, const __half *V, const __half *O, const float *LSE, const __half *dO,
      __half *dQ, __half *dK, __half *dV, int B, int H, int S, int D)
{
    const int rows = B * H * S;

    queries<<<(rows + 255) / 256, 256>>>(Q, K, V, O, LSE, dO, dQ, rows, S, D);
    keys<<<(rows + 255) / 256, 256>>>(Q, K, V, O, LSE, dO, dK, dV, rows, S, D);
}
