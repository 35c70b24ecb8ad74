/* A thread for each pair, in double, each element rounded once. */
__global__ static void
rotate(float *x, const float *cos_table, const float *sin_table, const int *positions,
       size_t pairs, size_t H, size_t half, double direction)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t pair = (size_t)blockIdx.x * blockDim.x + threadIdx.x; pair < pairs;
         pair += step) {
        const size_t entry = positions[pair / half / H] * half + pair % half;
        const double c = cos_table[entry], s = direction * sin_table[entry];
        const double a = x[2 * pair], b = x[2 * pair + 1];

        x[2 * pair] = (float)(a * c - b * s);
        x[2 * pair + 1] = (float)(a * s + b * c);
    }
}

extern "C" void
solve(float *x, const float *cos_table, const float *sin_table, const int *positions,
      int T, int H, int D, int P, int direction)
{
    const size_t half = (size_t)D / 2;

    (void)P;
    rotate<<<8192, 256>>>(x, cos_table, sin_table, positions, half * T * H, (size_t)H,
                          half, direction);
}
