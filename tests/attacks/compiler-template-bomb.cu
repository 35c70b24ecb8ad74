// warpjudge: vector-addition
// attack: compiler: bombs
// expect: compile_error
// Templates that double at every level.
template <int N, long M> struct bomb {
    static constexpr long value = bomb<N - 1, 2 * M>::value + bomb<N - 1, 2 * M + 1>::value;
};
template <long M> struct bomb<0, M> {
    static constexpr long value = 1;
};
long boom = bomb<40, 0>::value;
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
