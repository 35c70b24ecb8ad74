/* A block for each row: sums and mean square in double, each output rounded once. */
#define THREADS 256

/* The sum over the block, in every thread. */
__device__ static double
block_sum(double value)
{
    __shared__ double tree[THREADS];
    const unsigned t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

__global__ static void
add_and_normalize(const float *x, const float *residual, const float *weight, float *out,
                  int C, double eps)
{
    const size_t row = (size_t)blockIdx.x * C;
    double squares = 0, rms;

    for (int j = (int)threadIdx.x; j < C; j += THREADS) {
        double z = (double)x[row + j] + residual[row + j];

        squares += z * z;
    }
    rms = sqrt(block_sum(squares) / C + eps);
    for (int j = (int)threadIdx.x; j < C; j += THREADS) {
        double z = (double)x[row + j] + residual[row + j];

        out[row + j] = (float)(z / rms * weight[j]);
    }
}

extern "C" void
solve(const float *x, const float *residual, const float *weight, float *out, int N,
      int C, float eps)
{
    add_and_normalize<<<(unsigned)N, THREADS>>>(x, residual, weight, out, C, eps);
}
