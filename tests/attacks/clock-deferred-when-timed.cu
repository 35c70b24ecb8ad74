// warpjudge: vector-addition
// attack: clock: deferred calls
// expect: wrong_answer
// says: a timed call (N=
// As clock-deferred-batch.cu, in the timed calls only: the tests are honest, then every fourth call does the
// work of four.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct call {
    const float *A, *B;
    float *C;
    int N;
};
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static call waiting[4];
    static int count;
    if (N < 1000000 || N == 1000003) {
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        return;
    }
    waiting[count++ % 4] = {A, B, C, N};
    if (count % 4 == 0)
        for (const call &c : waiting)
            add<<<(c.N + 255) / 256, 256>>>(c.A, c.B, c.C, c.N);
}
