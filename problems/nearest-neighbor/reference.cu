/* Squared distances in double, the lowest index among equals: a thread for each point, the others by
 * tiles in shared memory. */
#define THREADS 256

__global__ static void __launch_bounds__(THREADS)
search(const float *points, int *indices, int N)
{
    __shared__ double tile[THREADS][3];
    const int t = (int)threadIdx.x, i = (int)blockIdx.x * THREADS + t;
    double at[3] = {}, least = 0;
    int best = -1;

    for (int c = 0; i < N && c < 3; c++)
        at[c] = points[3 * (size_t)i + c];
    for (int first = 0; first < N; first += THREADS) {
        int count = min(THREADS, N - first);

        __syncthreads();
        for (int c = 0; t < count && c < 3; c++)
            tile[t][c] = points[3 * (size_t)(first + t) + c];
        __syncthreads();
        for (int k = 0; k < count; k++) {
            double dx = tile[k][0] - at[0], dy = tile[k][1] - at[1], dz = tile[k][2] - at[2];
            double d = __dadd_rn(__dadd_rn(__dmul_rn(dx, dx), __dmul_rn(dy, dy)), __dmul_rn(dz, dz));

            if (first + k != i && (best < 0 || d < least)) {
                best = first + k;
                least = d;
            }
        }
    }
    if (i < N)
        indices[i] = best;
}

extern "C" void
solve(const float *points, int *indices, int N)
{
    search<<<(unsigned)(N + THREADS - 1) / THREADS, THREADS>>>(points, indices, N);
}
