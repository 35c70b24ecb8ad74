// warpjudge: count-3d-array-element
// One thread does everything.
__global__ void
serial(const int *input, int *output, int N, int M, int K, int P)
{
    for (int i = 0; i < N * M * K; i++) {
        *output += input[i] == P;
    }
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K, int P)
{
    serial<<<1, 1>>>(input, output, N, M, K, P);
}
