// warpjudge: causal-self-attention
// A thread for each element of the output. It computes its row of scores three times.
__device__ float
score(const float *q, const float *k, int d)
{
    float sum = 0;

    for (int t = 0; t < d; t++)
        sum += q[t] * k[t];
    return sum / sqrtf((float)d);
}

__global__ void
each(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i / d, column = i % d;
    float top = -INFINITY, sum = 0, value = 0;

    if (row >= M)
        return;
    for (int j = 0; j <= row; j++)
        top = fmaxf(top, score(Q + row * d, K + j * d, d));
    for (int j = 0; j <= row; j++)
        sum += expf(score(Q + row * d, K + j * d, d) - top);
    for (int j = 0; j <= row; j++)
        value += expf(score(Q + row * d, K + j * d, d) - top) / sum * V[j * d + column];
    output[row * d + column] = value;
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
    each<<<(M * d + 255) / 256, 256>>>(Q, K, V, output, M, d);
}
