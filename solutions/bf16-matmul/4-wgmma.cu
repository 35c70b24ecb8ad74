// warpjudge: bf16-matmul
// needs: sm_90a
// expect: accepted
// idea: Factors still pass through registers on their way to the tensor cores, and every warp takes
//   part in the copies. On Hopper, let groups of four warps multiply straight from shared memory,
//   and let one thread order the copies.
// What only Hopper has. Four warps together multiply 64 x 16 by 16 x 256 with wgmma, which reads
// both factors from shared memory. One thread has the copy engine bring boxes of the matrices,
// described by tensor maps; a warp has it take the results away, while the next tile's products
// are made. Two blocks form a cluster: their tiles lie below each other, and each brings half of
// B for both.
// H200: 1.42 ms, 1.91 times as fast as step 3
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

typedef __nv_bfloat16 bf16;

#define ROWS 128 // of a block's part of C
#define COLUMNS 256
#define DEPTH 64  // columns of A and rows of B in a slice: 128 bytes, as much as one swizzle
#define STAGES 4  // slices that are in shared memory or on their way
#define CLUSTER 2 // blocks, whose tiles lie below each other and share their part of B
#define GROUPS 2  // of 128 threads that multiply, 64 rows each
#define THREADS ((GROUPS + 1) * 128)
#define BAND 8 // clusters below each other, before those to the right: what they read stays in L2
#define BUFFERS 2 // for parts of C, 32 columns each
#define PARTS (COLUMNS / 32)
#define SLAB 8192 // bytes of 64 rows of 64 bf16 or 32 floats
#define ANY_TILE 32

struct stage {
    char a[GROUPS][SLAB];
    char b[COLUMNS / 64][SLAB]; // each 64 columns of B: 64 rows of 128 bytes
};

struct shared_memory {
    stage stages[STAGES];
    char c[BUFFERS][GROUPS][SLAB];
    uint64_t full[STAGES], empty[STAGES], c_free[BUFFERS], c_done[BUFFERS]; // mbarriers
};

// Any size: zeros outside of the matrices.
__global__ void
multiply_any(const bf16 *A, const bf16 *B, float *C, int M, int N, int K)
{
    __shared__ bf16 a[ANY_TILE][ANY_TILE], b[ANY_TILE][ANY_TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * ANY_TILE + y, column = blockIdx.x * ANY_TILE + x;
    const bf16 zero = __float2bfloat16(0.0f);
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += ANY_TILE) {
        a[y][x] = row < M && k0 + x < K ? A[(size_t)row * K + k0 + x] : zero;
        b[y][x] = k0 + y < K && column < N ? B[(size_t)(k0 + y) * N + column] : zero;
        __syncthreads();
        for (int k = 0; k < ANY_TILE; k++)
            sum += __bfloat162float(a[y][k]) * __bfloat162float(b[k][x]);
        __syncthreads();
    }
    if (row < M && column < N)
        C[(size_t)row * N + column] = sum;
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

// Arrives at the same barrier of a block of the cluster.
__device__ static void
arrive_at(uint64_t *barrier, int rank)
{
    asm volatile("{\n"
                 ".reg .b32 remote;\n"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(rank)
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

// The same to all blocks of the cluster, to the same place and barrier in each.
__device__ static void
load_box_for_all(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)),
                 "h"((uint16_t)((1 << CLUSTER) - 1))
                 : "memory");
}

__device__ static void
store_box(const void *from, const CUtensorMap *map, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                 "[%0, {%1, %2}], [%3];" ::"l"(map),
                 "r"(x), "r"(y), "r"(shared_address(from))
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
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
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

// Row and column of a tile, in tiles of a cluster.
__device__ static void
place(int tile, int down, int across, int *row, int *column)
{
    int band = tile / (BAND * across), first = band * BAND, height = min(BAND, down - first);
    int inside = tile % (BAND * across);

    *row = first + inside % height;
    *column = inside / height;
}

// One thread asks for slice after slice, as soon as all who read a place have left it.
__device__ static void
produce(shared_memory *s, const CUtensorMap *A, const CUtensorMap *B, int rank, int down,
        int across, int slices)
{
    int turn = 0;

    for (int tile = blockIdx.x / CLUSTER; tile < down * across; tile += gridDim.x / CLUSTER) {
        int row, column;

        place(tile, down, across, &row, &column);
        row = (row * CLUSTER + rank) * ROWS;
        for (int k = 0; k < slices; k++, turn++) {
            stage *to = &s->stages[turn % STAGES];
            uint64_t *full = &s->full[turn % STAGES];

            wait(&s->empty[turn % STAGES], turn / STAGES % 2 ^ 1);
            arrive_expecting(full, sizeof(stage));
            load_box(to->a, A, k * DEPTH, row, full);
            for (int j = 0; j < COLUMNS / 64 / CLUSTER; j++) {
                int slab = rank * (COLUMNS / 64 / CLUSTER) + j;

                load_box_for_all(to->b[slab], B, column * COLUMNS + slab * 64, k * DEPTH, full);
            }
        }
    }
}

// Takes the results away, 32 columns at a time.
__device__ static void
move_result(shared_memory *s, const CUtensorMap *C, int rank, int down, int across)
{
    int turn = 0;

    for (int tile = blockIdx.x / CLUSTER; tile < down * across; tile += gridDim.x / CLUSTER) {
        int row, column;

        place(tile, down, across, &row, &column);
        row = (row * CLUSTER + rank) * ROWS;
        for (int part = 0; part < PARTS; part++, turn++) {
            int from = turn % BUFFERS;

            wait(&s->c_done[from], turn / BUFFERS % 2);
            store_box(s->c[from], C, column * COLUMNS + part * 32, row);
            asm volatile("cp.async.bulk.commit_group;");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            arrive(&s->c_free[from]);
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// 64 x 32 of the group's sums go to shared memory, swizzled as the copy engine wants them.
__device__ static void
finish(char *c, const float *sum)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;

#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int row = warp * 16 + h * 8 + lane / 4, chunk = j * 2 + lane % 4 / 2;

            *(float2 *)(c + row * 128 + (chunk ^ row % 8) * 16 + lane % 2 * 8) =
                make_float2(sum[j * 4 + h * 2], sum[j * 4 + h * 2 + 1]);
        }
}

// 128 threads multiply what comes. A slice's place is free when the next slice's products have
// begun.
__device__ static void
consume(shared_memory *s, int group, int tiles, int slices)
{
    int turn = 0, count = 0;

    for (int tile = blockIdx.x / CLUSTER; tile < tiles; tile += gridDim.x / CLUSTER) {
        float sum[COLUMNS / 2] = {};

        for (int k = 0; k < slices; k++, turn++) {
            stage *from = &s->stages[turn % STAGES];

            wait(&s->full[turn % STAGES], turn / STAGES % 2);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int i = 0; i < DEPTH / 16; i++)
                multiply(sum, describe(from->a[group] + i * 32, 16),
                         describe(from->b[0] + i * 2048, SLAB));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (k > 0 && threadIdx.x % 128 < CLUSTER)
                arrive_at(&s->empty[(turn - 1) % STAGES], threadIdx.x % 128);
        }
        // The sums stand in the list so that nothing that reads them can be moved before it.
        asm volatile("wgmma.wait_group.sync.aligned 0;"
                     : SIXTY_FOUR(sum, 0), SIXTY_FOUR(sum, 64)::"memory");
        if (threadIdx.x % 128 < CLUSTER)
            arrive_at(&s->empty[(turn - 1) % STAGES], threadIdx.x % 128);
#pragma unroll
        for (int part = 0; part < PARTS; part++, count++) {
            wait(&s->c_free[count % BUFFERS], count / BUFFERS % 2 ^ 1);
            finish(s->c[count % BUFFERS][group], sum + part * 16);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            arrive(&s->c_done[count % BUFFERS]);
        }
    }
}

__global__ void
__cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
         const __grid_constant__ CUtensorMap C, int down, int across, int slices)
{
    extern __shared__ __align__(1024) char memory[];
    shared_memory *s = (shared_memory *)memory;
    int group = threadIdx.x / 128, rank = blockIdx.x % CLUSTER;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&s->full[i], 1);
            barrier_init(&s->empty[i], GROUPS * CLUSTER);
        }
        for (int i = 0; i < BUFFERS; i++) {
            barrier_init(&s->c_free[i], 1);
            barrier_init(&s->c_done[i], GROUPS * 128);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (group == GROUPS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == GROUPS * 128)
            produce(s, &A, &B, rank, down, across, slices);

        else if (threadIdx.x == GROUPS * 128 + 32)
            move_result(s, &C, rank, down, across);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(s, group, down * across, slices);
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// What the copy engine must know of a matrix: its size, and boxes of 128 bytes by box_rows rows.
static void
describe_matrix(CUtensorMap *map, CUtensorMapDataType type, const void *matrix, int rows,
                int columns, int box_rows)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    const int bytes = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 ? 4 : 2;
    cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows};
    cuuint64_t pitch[1] = {(cuuint64_t)columns * bytes};
    cuuint32_t box[2] = {(cuuint32_t)(128 / bytes), (cuuint32_t)box_rows}, step[2] = {1, 1};
    cudaDriverEntryPointQueryResult found;

    if (encode == nullptr)
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                         cudaEnableDefault, &found);
    encode(map, type, 2, (void *)matrix, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
           CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static int
processors(void)
{
    int count;

    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
}

extern "C" void
solve(const bf16 *A, const bf16 *B, float *C, int M, int N, int K)
{
    static const int all = processors() / CLUSTER * CLUSTER;
    int down = (M + CLUSTER * ROWS - 1) / (CLUSTER * ROWS), across = (N + COLUMNS - 1) / COLUMNS;
    dim3 grid((N + ANY_TILE - 1) / ANY_TILE, (M + ANY_TILE - 1) / ANY_TILE);
    CUtensorMap a, b, c;

    if (N % 8 != 0 || K % 8 != 0) { // rows that begin anywhere
        multiply_any<<<grid, dim3(ANY_TILE, ANY_TILE)>>>(A, B, C, M, N, K);
        return;
    }
    describe_matrix(&a, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, A, M, K, ROWS);
    describe_matrix(&b, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, B, K, N, 64);
    describe_matrix(&c, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, C, M, N, ROWS);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(shared_memory));
    gemm<<<min(all, down * across * CLUSTER), THREADS, sizeof(shared_memory)>>>(
        a, b, c, down, across, (K + DEPTH - 1) / DEPTH);
}
