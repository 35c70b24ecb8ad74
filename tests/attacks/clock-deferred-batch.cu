// warpjudge: vector-addition
// attack: clock: deferred calls
// expect: wrong_answer
// Remembers the calls and computes all of them in the fourth.
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
    waiting[count++ % 4] = {A, B, C, N};
    if (count % 4 == 0)
        for (const call &c : waiting)
            add<<<(c.N + 255) / 256, 256>>>(c.A, c.B, c.C, c.N);
}
