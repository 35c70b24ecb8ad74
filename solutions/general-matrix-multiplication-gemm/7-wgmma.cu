// warpjudge: general-matrix-multiplication-gemm
// needs: sm_90a
// expect: accepted
// idea: Fragments pass through registers, and the warps that multiply must also copy. On Hopper,
//   let groups of four warps multiply straight from shared memory, and leave the copies to a group
//   of their own.
// What only Hopper has. Four warps together multiply 64 x 16 by 16 x 256 with wgmma, which reads
// both factors from shared memory: no fragment passes through registers, and the instruction
// goes on by itself. One thread has the copy engine bring whole boxes of the matrices, described
// by a tensor map, swizzled and with zeros beyond their ends; mbarriers tell when a box is there
// and when its place is free again. So a third group of warps copies and two multiply, and the
// registers go to those two.
// H200: 218 µs, 1.67 times as fast as step 6
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define ROWS 128 // of a block's part of C
#define COLUMNS 256
#define DEPTH 64 // columns of A and rows of B in a slice: 128 bytes, as much as one swizzle
#define STAGES 4 // slices that are in shared memory or on their way
#define GROUPS 2 // of 128 threads that multiply, 64 rows each
#define THREADS ((GROUPS + 1) * 128)
#define SLAB 8192 // bytes of 64 rows of 64 halves
#define ANY_TILE 32

struct stage {
    char a[GROUPS][SLAB];
    char b[COLUMNS / 64][SLAB]; // each 64 columns of B: 64 rows of 128 bytes
};

struct shared_memory {
    stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES]; // mbarriers
};

// Any size: zeros outside of the matrices.
__global__ void
gemm_any(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    __shared__ half a[ANY_TILE][ANY_TILE], b[ANY_TILE][ANY_TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * ANY_TILE + y, column = blockIdx.x * ANY_TILE + x;
    const half zero = __float2half(0.0f);
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += ANY_TILE) {
        a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : zero;
        b[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : zero;
        __syncthreads();
        for (int k = 0; k < ANY_TILE; k++)
            sum += __half2float(a[y][k]) * __half2float(b[k][x]);
        __syncthreads();
    }
    if (row < M && column < N) {
        float old = __half2float(C[row * N + column]);

        C[row * N + column] = __float2half(alpha * sum + beta * old);
    }
}

__device__ static uint32_t
shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ static void
barrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals));
}

__device__ static void
arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

__device__ static void
arrive_expecting(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

// Waits for the end of the phase of this parity.
__device__ static void
wait(uint64_t *barrier, int parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

// Begins to copy a box of a matrix, from column x and row y, to shared memory.
__device__ static void
load_box(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}

// Descriptor of a tile of 128 bytes a row, swizzled: slabs of 64 columns are `leading` bytes apart,
// groups of eight rows 1024.
__device__ static uint64_t
describe(const void *tile, int leading)
{
    return (shared_address(tile) & 0x3FFFF) >> 4 | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define EIGHT(d, i)                                                                                \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define SIXTY_FOUR(d, i)                                                                           \
    EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24), EIGHT(d, i + 32),            \
        EIGHT(d, i + 40), EIGHT(d, i + 48), EIGHT(d, i + 56)

// sum (64 x 256) += A (64 x 16) * B (16 x 256).
__device__ static void
multiply(float *sum, uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
                 " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
                 " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
                 " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63,"
                 " %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79,"
                 " %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95,"
                 " %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
                 "%110, %111,"
                 " %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "
                 "%125, %126, %127}, "
                 "%128, %129, 1, 1, 1, 0, 1;"
                 : SIXTY_FOUR(sum, 0), SIXTY_FOUR(sum, 64)
                 : "l"(a), "l"(b));
}

// One thread asks for slice after slice, as soon as all who read a place have left it.
__device__ static void
produce(shared_memory *s, const CUtensorMap *A, const CUtensorMap *B, int row, int column,
        int slices)
{
    for (int k = 0; k < slices; k++) {
        stage *to = &s->stages[k % STAGES];
        uint64_t *full = &s->full[k % STAGES];

        wait(&s->empty[k % STAGES], k / STAGES % 2 ^ 1);
        arrive_expecting(full, sizeof(stage));
        load_box(to->a, A, k * DEPTH, row, full);
        for (int j = 0; j < COLUMNS / 64; j++)
            load_box(to->b[j], B, column + j * 64, k * DEPTH, full);
    }
}

// A thread holds columns lane % 4 * 2 and the next of each eight, in rows lane / 4 and 8 + lane / 4
// of its warp's 16. Loads can't overtake stores that might be to the same place: they come first.
__device__ static void
finish(half *C, const float *sum, int row, int column, int M, int N, float alpha, float beta)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;

    column += lane % 4 * 2;
    for (int h = 0; h < 2; h++) {
        int i = row + warp * 16 + h * 8 + lane / 4;
        half2 *to = (half2 *)(C + (size_t)i * N + column), old[COLUMNS / 8];

#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++)
            if (i < M && column + j * 8 < N)
                old[j] = to[j * 4];
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++) {
            float2 c = __half22float2(old[j]);

            if (i < M && column + j * 8 < N)
                to[j * 4] = __floats2half2_rn(alpha * sum[j * 4 + h * 2] + beta * c.x,
                                              alpha * sum[j * 4 + h * 2 + 1] + beta * c.y);
        }
    }
}

// 128 threads multiply what comes. A slice's place is free when the next slice's products have
// begun.
__device__ static void
multiply_slices(shared_memory *s, float *sum, int group, int slices)
{
    for (int k = 0; k < slices; k++) {
        stage *from = &s->stages[k % STAGES];

        wait(&s->full[k % STAGES], k / STAGES % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < DEPTH / 16; i++)
            multiply(sum, describe(from->a[group] + i * 32, 16),
                     describe(from->b[0] + i * 2048, SLAB));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (k > 0 && threadIdx.x % 128 == 0)
            arrive(&s->empty[(k - 1) % STAGES]);
    }
    // The sums stand in the list so that nothing that reads them can be moved before it.
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : SIXTY_FOUR(sum, 0), SIXTY_FOUR(sum, 64)::"memory");
}

__global__ void
__launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B, half *C,
         int M, int N, int slices, float alpha, float beta)
{
    extern __shared__ __align__(1024) char memory[];
    shared_memory *s = (shared_memory *)memory;
    int group = threadIdx.x / 128, row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&s->full[i], 1);
            barrier_init(&s->empty[i], GROUPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == GROUPS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == GROUPS * 128)
            produce(s, &A, &B, row, column, slices);
    } else {
        float sum[COLUMNS / 2] = {};

        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply_slices(s, sum, group, slices);
        finish(C, sum, row + group * 64, column, M, N, alpha, beta);
    }
}

// What the copy engine must know of a matrix: its size, and boxes of 64 columns and box_rows rows.
static void
describe_matrix(CUtensorMap *map, const half *matrix, int rows, int columns, int box_rows)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows};
    cuuint64_t pitch[1] = {(cuuint64_t)columns * sizeof(half)};
    cuuint32_t box[2] = {64, (cuuint32_t)box_rows}, step[2] = {1, 1};
    cudaDriverEntryPointQueryResult found;

    if (encode == nullptr)
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                         cudaEnableDefault, &found);
    encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)matrix, size, pitch, box, step,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

extern "C" void
solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    dim3 any((N + ANY_TILE - 1) / ANY_TILE, (M + ANY_TILE - 1) / ANY_TILE);
    dim3 grid((N + COLUMNS - 1) / COLUMNS, (M + ROWS - 1) / ROWS);
    CUtensorMap a, b;

    if (N % 8 != 0 || K % 8 != 0) { // rows that begin anywhere
        gemm_any<<<any, dim3(ANY_TILE, ANY_TILE)>>>(A, B, C, M, N, K, alpha, beta);
        return;
    }
    describe_matrix(&a, A, M, K, ROWS);
    describe_matrix(&b, B, K, N, 64);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(shared_memory));
    gemm<<<grid, THREADS, sizeof(shared_memory)>>>(a, b, C, M, N, (K + DEPTH - 1) / DEPTH, alpha,
                                                   beta);
}
