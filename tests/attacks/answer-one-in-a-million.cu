// warpjudge: vector-addition
// attack: answer: wrong minority
// expect: wrong_answer
// says: a timed call (N=
// One wrong element in the timed calls, where a checker that samples would hardly look.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void spoil(float *at)
{
    *at += 1;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N >= 1000000 && N != 1000003)
        spoil<<<1, 1>>>(C + (N / 3 * 2));
}
