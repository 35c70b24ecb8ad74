// warpjudge: top-k-selection
// One thread. It keeps the k largest in order.
__global__ void
serial(const float *input, float *output, int N, int k)
{
    int kept = 0;

    for (int i = 0; i < N; i++) {
        int at = kept < k ? kept++ : k;

        if (at == k && !(input[i] > output[k - 1]))
            continue;
        if (at == k)
            at = k - 1;
        for (; at > 0 && output[at - 1] < input[i]; at--)
            output[at] = output[at - 1];
        output[at] = input[i];
    }
}

extern "C" void
solve(const float *input, float *output, int N, int k)
{
    serial<<<1, 1>>>(input, output, N, k);
}
