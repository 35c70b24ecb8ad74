// warpjudge: histogramming
// attack: answer: constants
// expect: wrong_answer
// says: a timed call (N=
// Counts a tenth of the inputs of a large call and multiplies by ten.
__global__ void count(const int *in, int *bins, int n, int step)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * step;
    if (i < n)
        atomicAdd(&bins[in[i]], step);
}
extern "C" void solve(const int *input, int *histogram, int N, int num_bins)
{
    const int step = N > 1500000 ? 10 : 1;
    count<<<(N / step + 256) / 256, 256>>>(input, histogram, N, step);
}
