// warpjudge: softmax-attention
// A thread for each row. It computes its scores again for the maximum, the sum and the output.
__device__ float
score(const float *q, const float *k, int d)
{
    float sum = 0;

    for (int t = 0; t < d; t++)
        sum += q[t] * k[t];
    return sum / sqrtf((float)d);
}

__global__ void
row(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float top = -INFINITY, sum = 0;

    if (i >= M)
        return;
    for (int j = 0; j < N; j++)
        top = fmaxf(top, score(Q + i * d, K + j * d, d));
    for (int j = 0; j < N; j++)
        sum += expf(score(Q + i * d, K + j * d, d) - top);
    for (int t = 0; t < d; t++)
        output[i * d + t] = 0;
    for (int j = 0; j < N; j++) {
        float weight = expf(score(Q + i * d, K + j * d, d) - top) / sum;

        for (int t = 0; t < d; t++)
            output[i * d + t] += weight * V[j * d + t];
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    row<<<(M + 255) / 256, 256>>>(Q, K, V, output, M, N, d);
}
