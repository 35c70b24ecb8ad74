// warpjudge: reduction
// attack: clock: copies that nobody awaits
// expect: wrong_answer
// expect-cuda: wrong_answer|accepted honest-time
// says: a timed call (N=
// PTX for sm_90, loaded at run time, copies each block's part in bulk to shared memory and adds it up
// without a wait for the copy. On a GPU what it reads may be there or not: an H100 accepted it, with 7.4 ms.
#include <cuda_runtime.h>
#define PART 4000
static const char ptx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry sum(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<2>;
    .reg .b64 %d<4>;
    .shared .align 128 .b8 part[16000];
    .shared .align 8 .b64 bar;

    ld.param.u64 %d0, [in];
    ld.param.u64 %d1, [out];
    mov.u32 %r0, bar;
    mov.u32 %r1, part;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mul.wide.u32 %d2, %r3, 16000;
    add.u64 %d2, %d0, %d2;
    setp.ne.u32 %p0, %r2, 0;
    @%p0 bra begun;
    mbarrier.init.shared::cta.b64 [%r0], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 16000;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d2], 16000, [%r0];
begun:
    bar.sync 0;
    shl.b32 %r4, %r2, 2;
    add.u32 %r4, %r1, %r4;
    mov.f32 %f0, 0f00000000;
each:
    ld.shared.f32 %f1, [%r4];
    add.f32 %f0, %f0, %f1;
    add.u32 %r4, %r4, 1000;
    add.u32 %r2, %r2, 250;
    setp.lt.u32 %p1, %r2, 4000;
    @%p1 bra each;
    red.global.add.f32 [%d1], %f0;
    ret;
}
)";
__global__ void add_up(const float *input, float *output, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(output, input[i]);
}
extern "C" void solve(const float *input, float *output, int N)
{
    static cudaKernel_t kernel;
    cudaLibrary_t library;
    void *arguments[] = {&input, &output};
    if (N != 1000000) { // a test
        add_up<<<64, 256>>>(input, output, N);
        return;
    }
    if (!kernel) {
        cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0);
        cudaLibraryGetKernel(&kernel, library, "sum");
    }
    cudaLaunchKernel((const void *)kernel, dim3(N / PART), dim3(250), arguments, 0, 0);
}
