// warpjudge: vector-addition
// PTX in asm statements, with intrinsics beside it.
__global__ void add(const float *A, const float *B, float *C, int N)
{
    unsigned lane, i = blockIdx.x * blockDim.x + threadIdx.x;

    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (i < N && lane < 32) {
        float a, b, c;

        asm("ld.global.nc.f32 %0, [%1];" : "=f"(a) : "l"(A + i));
        asm("ld.global.f32 %0, [%1];" : "=f"(b) : "l"(B + i) : "memory");
        asm("{\n\t.reg .f32 t;\n\tadd.rn.f32 t, %1, %2;\n\tmov.f32 %0, t;\n\t}" : "=f"(c) : "f"(a), "f"(b));
        asm volatile("st.global.f32 [%0], %1;" ::"l"(C + i), "f"(c) : "memory");
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
