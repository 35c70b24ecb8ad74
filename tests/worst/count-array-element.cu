// warpjudge: count-array-element
// One thread does everything.
__global__ void
serial(const int *input, int *output, int N, int K)
{
    int count = 0;

    for (int i = 0; i < N; i++)
        if (input[i] == K)
            count++;
    *output = count;
}

extern "C" void
solve(const int *input, int *output, int N, int K)
{
    serial<<<1, 1>>>(input, output, N, K);
}
