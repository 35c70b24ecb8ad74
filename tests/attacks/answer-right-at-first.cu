// warpjudge: vector-addition
// attack: answer: right at first
// expect: wrong_answer
// expect-cuda: wrong_answer|accepted honest-time
// says: a timed call (N=
// Right for the tests and the warm-up, then nothing at all. On a GPU fewer calls may be enough for
// a time: then all that were timed were right.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static int calls;
    if (++calls < 16 || (N > 2000000 && calls < 18))
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
