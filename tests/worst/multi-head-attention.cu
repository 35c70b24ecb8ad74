// warpjudge: multi-head-attention
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
each(const float *Q, const float *K, const float *V, float *output, int N, int d_model, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int d = d_model / h, row = i / d_model, column = i % d_model, head = column / d * d;
    float top = -INFINITY, sum = 0, value = 0;

    if (row >= N)
        return;
    for (int j = 0; j < N; j++)
        top = fmaxf(top, score(Q + row * d_model + head, K + j * d_model + head, d));
    for (int j = 0; j < N; j++)
        sum += expf(score(Q + row * d_model + head, K + j * d_model + head, d) - top);
    for (int j = 0; j < N; j++)
        value += expf(score(Q + row * d_model + head, K + j * d_model + head, d) - top) / sum * V[j * d_model + column];
    output[row * d_model + column] = value;
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int N, int d_model, int h)
{
    each<<<(N * d_model + 255) / 256, 256>>>(Q, K, V, output, N, d_model, h);
}
