/* A block loads eight groups; then every thread finds its element's place by looking at the
 * ones before it, and the first thread of each group counts. */
#define THREADS 256

__global__ static void
compact(const float *input, unsigned *ballot, int *vote, float *packed, int N, float threshold)
{
    __shared__ float values[THREADS];
    unsigned t = threadIdx.x, first = t / 32 * 32;
    int i = (int)(blockIdx.x * THREADS + t), group = i - (int)(t - first);
    int size = min(32, N - group), kept = 0, before = 0;
    unsigned bits = 0;

    values[t] = i < N ? input[i] : 0.0f;
    __syncthreads();
    if (i >= N)
        return;
    for (int l = 0; l < size; l++) {
        if (values[first + l] > threshold) {
            bits |= 1u << l;
            before += group + l < i;
            kept++;
        }
    }
    if (values[t] > threshold)
        packed[group + before] = values[t];
    if (i - group >= kept)
        packed[i] = 0.0f;
    if (i == group) {
        ballot[group / 32] = bits;
        vote[group / 32] = kept == 0 ? 0 : kept == size ? 2 : 1;
    }
}

extern "C" void
solve(const float *input, unsigned int *ballot, int *vote, float *packed, int N,
      float threshold)
{
    compact<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, ballot, vote, packed, N,
                                                      threshold);
}
