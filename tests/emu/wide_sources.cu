// cvt takes a register wider than its source type (PTX ISA 9.4.1), by the lower half.
#include <cstdio>

__global__ void
convert(const unsigned long long *in, long long *out)
{
    unsigned long long x = in[threadIdx.x], u;
    long long *mine = out + 4 * threadIdx.x, s;
    float f;
    double d;

    asm("cvt.s64.s32 %0, %1;" : "=l"(s) : "l"(x));
    asm("cvt.u64.u32 %0, %1;" : "=l"(u) : "l"(x));
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "l"(x));
    asm("cvt.rn.f64.u32 %0, %1;" : "=d"(d) : "l"(x));
    mine[0] = s;
    mine[1] = (long long)u;
    mine[2] = (long long)f;
    mine[3] = (long long)d;
}

int
main()
{
    unsigned long long *in;
    long long *out;
    int wrong = 0;

    cudaMallocManaged(&in, 32 * sizeof *in);
    cudaMallocManaged(&out, 32 * 4 * sizeof *out);
    for (int i = 0; i < 32; i++)
        in[i] = 0x9e3779b97f4a7c15ull * (i + 1);
    convert<<<1, 32>>>(in, out);
    const char *said = cudaGetErrorName(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        unsigned low = (unsigned)in[i];
        long long right[4] = {(int)low, low, (long long)(float)(int)low, low};

        for (int k = 0; k < 4; k++)
            wrong += out[4 * i + k] != right[k];
    }
    printf("%s, %d wrong\n", said, wrong);
}
