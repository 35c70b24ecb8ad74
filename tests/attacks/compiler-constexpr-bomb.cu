// warpjudge: vector-addition
// attack: compiler: bombs
// expect: compile_error
// Arithmetic without end at compile time.
constexpr long spin(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += i;
    return sum;
}
template <long N> struct box {
    static constexpr long value = spin(1000000000000l + N);
};
long boom = box<1>::value;
static_assert(box<1>::value != 0, "");
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
