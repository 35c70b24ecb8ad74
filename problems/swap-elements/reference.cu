/* Neighbours exchanged. */
__global__ static void
swap(float *data, int pairs)
{
    int p = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (p < pairs) {
        float first = data[2 * p];

        data[2 * p] = data[2 * p + 1];
        data[2 * p + 1] = first;
    }
}

extern "C" void
solve(float *data, int N)
{
    int pairs = N / 2;

    if (pairs > 0)
        swap<<<(pairs + 255) / 256, 256>>>(data, pairs);
}
