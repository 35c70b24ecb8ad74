// warpjudge: fp8-gemm
// needs: sm_90a
// expect: accepted
// idea: Decoding costs time, and in half precision the tensor cores reach half of their speed for
//   fp8. On Hopper, multiply undecoded numbers straight from shared memory, and add the partial
//   sums to floats often enough.
// What only Hopper has. Four warps together multiply 64 x 32 by 32 x 192 fp8 numbers with
// wgmma, which reads both factors from shared memory, undecoded. One thread has the copy
// engine bring boxes of the matrices, which tensor maps describe. Barriers in shared
// memory tell when a box is there and when its place is free. wgmma keeps fewer bits of a
// sum of fp8 products than a float has. So the sums of 16 slices, 2048 columns, are added
// to floats; left to wgmma alone, 16384 columns are off by more than is allowed.
// H200: 1.72 ms, 5.9 times as fast as step 2
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>

typedef __nv_bfloat16 bf16;

#define ROWS 128 // of a block's part of C
#define COLUMNS 192
#define TOGETHER 16 // slices whose products the tensor cores add up by themselves
#define DEPTH 128   // columns of A and of B in a slice: 128 bytes, as much as one swizzle
#define STAGES 4    // slices that are in shared memory or on their way
#define GROUPS 2    // of 128 threads that multiply, 64 rows each
#define THREADS ((GROUPS + 1) * 128)
#define SLAB 8192 // bytes of 64 rows of 128 fp8
#define ANY_TILE 32

struct stage {
    char a[GROUPS][SLAB];
    char b[COLUMNS][128]; // rows of B
};

struct shared_memory {
    stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES]; // mbarriers
};

__device__ static float
decode(uint8_t byte)
{
    return __half2float(__nv_cvt_fp8_to_halfraw(byte, __NV_E4M3));
}

// Any size: zeros outside of the matrices.
__global__ void
multiply_any(const uint8_t *A, const uint8_t *B, bf16 *C, int M, int N, int K,
             float scale)
{
    __shared__ float a[ANY_TILE][ANY_TILE], b[ANY_TILE][ANY_TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * ANY_TILE + y;
    int column = blockIdx.x * ANY_TILE + x, b_row = blockIdx.x * ANY_TILE + y;
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += ANY_TILE) {
        int k = k0 + x;

        a[y][x] = row < M && k < K ? decode(A[(size_t)row * K + k]) : 0.0f;
        b[y][x] = b_row < N && k < K ? decode(B[(size_t)b_row * K + k]) : 0.0f;
        __syncthreads();
        for (int i = 0; i < ANY_TILE; i++)
            sum += a[y][i] * b[x][i];
        __syncthreads();
    }
    if (row < M && column < N)
        C[(size_t)row * N + column] = __float2bfloat16(scale * sum);
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
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
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
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_"
                 "tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}

// Descriptor of a tile whose rows are 128 bytes of k, swizzled: groups of eight rows are
// 1024 bytes apart.
__device__ static uint64_t
describe(const void *tile)
{
    return (shared_address(tile) & 0x3FFFF) >> 4 | (uint64_t)1 << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define EIGHT(d, i)                                                                      \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]),          \
        "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SIXTY_FOUR(d, i)                                                                 \
    EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24), EIGHT(d, i + 32),  \
        EIGHT(d, i + 40), EIGHT(d, i + 48), EIGHT(d, i + 56)

// sum (64 x COLUMNS) += A (64 x 32) * B (32 x COLUMNS).
__device__ static void
multiply(float *sum, uint64_t a, uint64_t b, int more)
{
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 "setp.ne.b32 more, %98, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n192k32.f32.e4m3.e4m3 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
                 "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                 "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "
                 "%41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, "
                 "%54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, "
                 "%67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, "
                 "%93, %94, %95}, "
                 "%96, %97, more, 1, 1;\n"
                 "}"
                 : SIXTY_FOUR(sum, 0), EIGHT(sum, 64), EIGHT(sum, 72), EIGHT(sum, 80),
                   EIGHT(sum, 88)
                 : "l"(a), "l"(b), "r"(more));
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
        load_box(to->b, B, k * DEPTH, column, full);
    }
}

// 128 threads multiply what comes. A slice's place is free when the next slice's products
// have begun.
__device__ static void
consume(shared_memory *s, int group, int slices, float *total)
{
    float sum[COLUMNS / 2];

    for (int first = 0; first < slices; first += TOGETHER) {
        int last = min(first + TOGETHER, slices) - 1;

        for (int k = first; k <= last; k++) {
            stage *from = &s->stages[k % STAGES];

            wait(&s->full[k % STAGES], k / STAGES % 2);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int i = 0; i < DEPTH / 32; i++)
                multiply(sum, describe(from->a[group] + i * 32),
                         describe(from->b[0] + i * 32), k - first + i);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (k > first && threadIdx.x % 128 == 0)
                arrive(&s->empty[(k - 1) % STAGES]);
        }
        // The sums stand in the list so that nothing that reads them can be moved before
        // it.
        asm volatile("wgmma.wait_group.sync.aligned 0;"
                     : SIXTY_FOUR(sum, 0), EIGHT(sum, 64), EIGHT(sum, 72), EIGHT(sum, 80),
                       EIGHT(sum, 88)::"memory");
        if (threadIdx.x % 128 == 0)
            arrive(&s->empty[last % STAGES]);
#pragma unroll
        for (int i = 0; i < COLUMNS / 2; i++)
            total[i] += sum[i];
    }
}

// The group's 64 x COLUMNS go to memory, from this row and column on.
__device__ static void
finish(bf16 *C, const float *total, int row, int column, int M, int N, float scale)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;

#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++) {
            int m = row + warp * 16 + h * 8 + lane / 4, n = column + j * 8 + lane % 4 * 2;

            if (m < M && n < N)
                *(__nv_bfloat162 *)&C[(size_t)m * N + n] = __floats2bfloat162_rn(
                    scale * total[j * 4 + h * 2], scale * total[j * 4 + h * 2 + 1]);
        }
}

__global__ void
__launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
         bf16 *C, int M, int N, int slices, float scale)
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
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");

        float total[COLUMNS / 2] = {};

        consume(s, group, slices, total);
        finish(C, total, row + group * 64, column, M, N, scale);
    }
}

// What the copy engine must know of a matrix of bytes: its size, and boxes of 128 columns
// by box_rows rows.
static void
describe_matrix(CUtensorMap *map, const void *matrix, int rows, int columns, int box_rows)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows},
               pitch[1] = {(cuuint64_t)columns};
    cuuint32_t box[2] = {128, (cuuint32_t)box_rows}, step[2] = {1, 1};
    cudaDriverEntryPointQueryResult found;

    if (encode == nullptr)
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode,
                                         12000, cudaEnableDefault, &found);
    encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, (void *)matrix, size, pitch, box, step,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

extern "C" void
solve(const uint8_t *A, const uint8_t *B, bf16 *C, int M, int N, int K, float scale_a,
      float scale_b)
{
    dim3 tiles((N + COLUMNS - 1) / COLUMNS, (M + ROWS - 1) / ROWS);
    dim3 grid((N + ANY_TILE - 1) / ANY_TILE, (M + ANY_TILE - 1) / ANY_TILE);
    CUtensorMap a, b;

    if (N % 8 != 0 || K % 16 != 0) { // rows that begin anywhere
        multiply_any<<<grid, dim3(ANY_TILE, ANY_TILE)>>>(A, B, C, M, N, K,
                                                         scale_a * scale_b);
        return;
    }
    describe_matrix(&a, A, M, K, ROWS);
    describe_matrix(&b, B, N, K, COLUMNS);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(shared_memory));
    gemm<<<tiles, THREADS, sizeof(shared_memory)>>>(
        a, b, C, M, N, (K + DEPTH - 1) / DEPTH, scale_a * scale_b);
}
