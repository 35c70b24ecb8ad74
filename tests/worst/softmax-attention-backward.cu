// warpjudge: softmax-attention-backward
// One thread does everything, in double.

__device__ void *
zeros(size_t count, size_t bytes)
{
    void *memory = malloc(count * bytes);

    if (memory != NULL)
        memset(memory, 0, count * bytes);
    return memory;
}

__device__ double
dot(const float *a, const float *b, long d)
{
    double sum = 0;

    for (long c = 0; c < d; c++)
        sum += (double)a[c] * b[c];
    return sum;
}

/* P of one query over all keys. */
__device__ void
weigh(const float *q, const float *K, double *P, long N, long d)
{
    double top = -INFINITY, sum = 0;

    for (long j = 0; j < N; j++) {
        P[j] = dot(q, K + j * d, d) / sqrt((double)d);
        top = fmax(top, P[j]);
    }
    for (long j = 0; j < N; j++) {
        P[j] = exp(P[j] - top);
        sum += P[j];
    }
    for (long j = 0; j < N; j++)
        P[j] /= sum;
}

__device__ void
narrow(const double *from, float *to, long count)
{
    for (long e = 0; e < count; e++)
        to[e] = (float)from[e];
}

__global__ void
serial(const float *Q, const float *K, const float *V, const float *dO, float *dQ, float *dK,
       float *dV, int M, int N, int d)
{
    double *P = (double *)zeros((size_t)N, sizeof *P), *dP = (double *)zeros((size_t)N, sizeof *dP);
    double *sum_k = (double *)zeros((size_t)N * d, sizeof *sum_k),
           *sum_v = (double *)zeros((size_t)N * d, sizeof *sum_v);
    double *sum_q = (double *)zeros((size_t)M * d, sizeof *sum_q);

    if (!P || !dP || !sum_k || !sum_v || !sum_q)
        __trap();
    for (long i = 0; i < M; i++) {
        double D = 0;

        weigh(Q + i * d, K, P, N, d);
        for (long j = 0; j < N; j++) {
            dP[j] = dot(dO + i * d, V + j * d, d);
            D += P[j] * dP[j];
        }
        for (long j = 0; j < N; j++) {
            const double dS = P[j] * (dP[j] - D) / sqrt((double)d);

            for (long c = 0; c < d; c++) {
                sum_q[i * d + c] += dS * K[j * d + c];
                sum_k[j * d + c] += dS * Q[i * d + c];
                sum_v[j * d + c] += P[j] * dO[i * d + c];
            }
        }
    }
    narrow(sum_q, dQ, (long)M * d);
    narrow(sum_k, dK, (long)N * d);
    narrow(sum_v, dV, (long)N * d);
    free(P);
    free(dP);
    free(sum_q);
    free(sum_k);
    free(sum_v);
}

extern "C" void
solve(const float *Q, const float *K, const float *V, const float *dO, float *dQ, float *dK,
      float *dV, int M, int N, int d)
{
    serial<<<1, 1>>>(Q, K, V, dO, dQ, dK, dV, M, N, d);
}
