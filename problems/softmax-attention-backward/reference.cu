/*
 * All in double, without atomics. A block for each query finds the largest score, the sum
 * of the exponentials and D, then dQ; a block for each key adds up dK and dV. Each output
 * is rounded once.
 */
#define THREADS 128 /* also the largest d */

struct row {
    double top, sum, D; /* the largest score, the sum of exp(score - top), sum of P dP */
};

__device__ static double
dot(const double *a, const float *b, int d)
{
    double sum = 0;

    for (int c = 0; c < d; c++)
        sum += a[c] * b[c];
    return sum;
}

/* The maximum or the sum over the block, in every thread. */
template <bool MAXIMUM>
__device__ static double
join(double value)
{
    __shared__ double tree[THREADS];
    const unsigned t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = MAXIMUM ? fmax(tree[t], tree[t + half]) : tree[t] + tree[t + half];
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

/* What one query's row of P and dP comes to. q and go: its rows of Q and dO. */
__device__ static row
scan_row(const double *q, const double *go, const float *K, const float *V, int N, int d)
{
    const size_t stride = (size_t)d;
    const double root = sqrt((double)d);
    double top = -INFINITY, sum = 0, D = 0;

    for (int j = (int)threadIdx.x; j < N; j += THREADS) {
        double score = dot(q, K + j * stride, d) / root, higher = fmax(top, score);
        double shrink = top == -INFINITY ? 0 : exp(top - higher),
               weight = exp(score - higher);

        sum = sum * shrink + weight;
        D = D * shrink + weight * dot(go, V + j * stride, d);
        top = higher;
    }
    row all = {join<true>(top), 0, 0};
    double shrink = top == -INFINITY ? 0 : exp(top - all.top);

    all.sum = join<false>(sum * shrink);
    all.D = join<false>(D * shrink) / all.sum;
    return all;
}

__global__ static void
__launch_bounds__(THREADS)
    find_queries(const float *Q, const float *K, const float *V, const float *dO,
                 float *dQ, row *rows, int N, int d)
{
    __shared__ double q[THREADS], go[THREADS], dS[THREADS];
    const int t = (int)threadIdx.x;
    const size_t stride = (size_t)d, at = blockIdx.x * stride;
    const double root = sqrt((double)d);
    double sum = 0;

    if (t < d) {
        q[t] = Q[at + t];
        go[t] = dO[at + t];
    }
    __syncthreads();
    row all = scan_row(q, go, K, V, N, d);

    if (t == 0)
        rows[blockIdx.x] = all;
    for (int first = 0; first < N; first += THREADS) {
        int j = first + t, count = min(THREADS, N - first);

        if (j < N) {
            double P = exp(dot(q, K + j * stride, d) / root - all.top) / all.sum;

            dS[t] = P * (dot(go, V + j * stride, d) - all.D) / root;
        }
        __syncthreads();
        for (int n = 0; n < count && t < d; n++)
            sum += dS[n] * K[(first + n) * stride + t];
        __syncthreads();
    }
    if (t < d)
        dQ[at + t] = (float)sum;
}

__global__ static void
__launch_bounds__(THREADS)
    find_keys(const float *Q, const float *K, const float *V, const float *dO, float *dK,
              float *dV, const row *rows, int M, int d)
{
    __shared__ double k[THREADS], v[THREADS], P[THREADS], dS[THREADS];
    const int t = (int)threadIdx.x;
    const size_t stride = (size_t)d, at = blockIdx.x * stride;
    const double root = sqrt((double)d);
    double sum_k = 0, sum_v = 0;

    if (t < d) {
        k[t] = K[at + t];
        v[t] = V[at + t];
    }
    __syncthreads();
    for (int first = 0; first < M; first += THREADS) {
        int i = first + t, count = min(THREADS, M - first);

        if (i < M) {
            P[t] = exp(dot(k, Q + i * stride, d) / root - rows[i].top) / rows[i].sum;
            dS[t] = P[t] * (dot(v, dO + i * stride, d) - rows[i].D) / root;
        }
        __syncthreads();
        for (int n = 0; n < count && t < d; n++) {
            sum_k += dS[n] * Q[(first + n) * stride + t];
            sum_v += P[n] * dO[(first + n) * stride + t];
        }
        __syncthreads();
    }
    if (t < d) {
        dK[at + t] = (float)sum_k;
        dV[at + t] = (float)sum_v;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, const float *dO, float *dQ,
      float *dK, float *dV, int M, int N, int d)
{
    row *rows;

    if (cudaMalloc(&rows, (size_t)M * sizeof *rows) != cudaSuccess)
        return;
    find_queries<<<(unsigned)M, THREADS>>>(Q, K, V, dO, dQ, rows, N, d);
    find_keys<<<(unsigned)N, THREADS>>>(Q, K, V, dO, dK, dV, rows, M, d);
    cudaFree(rows);
}
