// warpjudge: vector-addition
// attack: compiler: #include
// expect: accepted honest-time
// Looks for the reference and the job's files at likely places. A find would be a
// compile_error.
#if __has_include("reference.cu") || __has_include("../reference.cu") || __has_include("../reference") || \
    __has_include("/problems/vector-addition/reference.cu") || __has_include("../job.json") ||              \
    __has_include("../../../../problems/vector-addition/reference.c") || __has_include("/judge-lib/../problems")
#define FOUND 1
#else
#define FOUND 0
#endif
static_assert(!FOUND, "there is a file of the judge's");
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
