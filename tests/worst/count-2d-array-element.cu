// warpjudge: count-2d-array-element
// One thread does everything.
__global__ void
serial(const int *input, int *output, int N, int M, int K)
{
    for (int i = 0; i < N * M; i++) {
        *output += input[i] == K;
    }
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K)
{
    serial<<<1, 1>>>(input, output, N, M, K);
}
