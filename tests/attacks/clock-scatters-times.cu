// warpjudge: vector-addition
// attack: clock: a time that is scattered on purpose, so that its interval reaches a faster one's
// expect: accepted honest-time
// In most calls all threads multiply for nothing, by the inputs' first value; in the others they do not. The median is
// that of the calls that do, and the interval's lower end that of the others. With another WASTES_FROM the median is
// that of the others, and the interval reaches slower entries. tests/e2e/test_scattering.py has the ranks.
#define WASTES_FROM 0x50000000u /* 0 wastes time in every call, 0xffffffff in hardly any */

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned wasted = i;

    if ((__float_as_uint(a[0]) >> 7) * 2654435761u >= WASTES_FROM)
        for (int k = 0; k < 128; k++)
            asm volatile("mul.lo.u32 %0, %0, 3;" : "+r"(wasted));
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
