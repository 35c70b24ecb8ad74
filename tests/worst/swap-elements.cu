// warpjudge: swap-elements
// One thread does everything, in double.
__global__ void
serial(float *data, int N)
{
    for (int i = 0; i + 1 < N; i += 2) {
        float first = data[i];

        data[i] = data[i + 1];
        data[i + 1] = first;
    }
}

extern "C" void
solve(float *data, int N)
{
    serial<<<1, 1>>>(data, N);
}
