// warpjudge: 3d-subarray-sum
// One thread does everything, in double.
__global__ void
serial(const int *input, int *output, int N, int M, int K, int S_DEP, int E_DEP, int S_ROW,
       int E_ROW, int S_COL, int E_COL)
{
    int sum = 0;

    (void)N;
    for (long a = S_DEP; a <= E_DEP; a++)
        for (long b = S_ROW; b <= E_ROW; b++)
            for (long c = S_COL; c <= E_COL; c++)
                sum += input[(a * M + b) * K + c];
    output[0] = sum;
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K, int S_DEP, int E_DEP, int S_ROW,
      int E_ROW, int S_COL, int E_COL)
{
    serial<<<1, 1>>>(input, output, N, M, K, S_DEP, E_DEP, S_ROW, E_ROW, S_COL, E_COL);
}
