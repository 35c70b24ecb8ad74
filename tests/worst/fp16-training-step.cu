// warpjudge: fp16-training-step
// One thread does everything, in double.
#include <cuda_fp16.h>

__device__ void *
zeros(size_t count, size_t bytes)
{
    void *memory = malloc(count * bytes);

    if (memory != NULL)
        memset(memory, 0, count * bytes);
    return memory;
}

/* fp16 of a real number. Through float, as a kernel with float sums does it. */
__device__ double
rounded(double x)
{
    return (double)(float)(__half)(float)x;
}

/* Row b of the scaled gradient of the output; returns the row's sum of squared errors. */
__device__ double
forward(const __half *x, const __half *target, const double *Wh, const float *bias,
        double *g, long K, long N, double factor)
{
    double squares = 0;

    for (long n = 0; n < N; n++) {
        double y = bias[n], e;

        for (long k = 0; k < K; k++)
            y += (double)(float)x[k] * Wh[n * K + k];
        e = rounded(y) - (double)(float)target[n];
        squares += e * e;
        g[n] = rounded(e * factor);
    }
    return squares;
}

__global__ void
serial(const __half *X, const __half *target, float *W, float *bias, float *loss, int B, int K,
       int N, float lr, float loss_scale)
{
    size_t k = (size_t)K, n = (size_t)N;
    double *room = (double *)zeros(2 * n * k + 2 * n, sizeof *room), squares = 0;
    double *Wh = room, *dW = Wh + n * k, *db = dW + n * k, *g = db + n;

    if (!room)
        __trap();
    for (size_t i = 0; i < n * k; i++)
        Wh[i] = rounded(W[i]);
    for (size_t b = 0; b < (size_t)B; b++) {
        squares +=
            forward(X + b * k, target + b * n, Wh, bias, g, K, N, (double)(float)loss_scale / B);
        for (size_t i = 0; i < n; i++) {
            db[i] += g[i];
            for (size_t j = 0; j < k; j++)
                dW[i * k + j] += g[i] * (double)(float)X[b * k + j];
        }
    }
    for (size_t i = 0; i < n * k; i++)
        W[i] = (float)(W[i] - lr * (dW[i] / loss_scale));
    for (size_t i = 0; i < n; i++)
        bias[i] = (float)(bias[i] - lr * (db[i] / loss_scale));
    loss[0] = (float)(squares / (2.0 * B));
    free(room);
}

extern "C" void
solve(const __half *X, const __half *target, float *W, float *bias, float *loss, int B, int K,
      int N, float lr, float loss_scale)
{
    serial<<<1, 1>>>(X, target, W, bias, loss, B, K, N, lr, loss_scale);
}
