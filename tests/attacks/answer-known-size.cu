// warpjudge: vector-addition
// attack: answer: known sizes
// expect: wrong_answer
// says: a timed call (N=
// Does nothing at the sizes at which it is timed (the last one: by tests/gpu/attacks).
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N != 1000000 && N != 25000000 && N != 100000000)
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
