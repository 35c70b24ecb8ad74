// warpjudge: fp8-gemm
// needs: sm_90a
// expect: accepted
// idea: The tensor cores stand still while a block stores its result and the next block starts.
//   Start only as many blocks as fit, and let each load its next tile while the last one is stored.
// Against step 3: blocks stay, as many as there are multiprocessors, and make tile after
// tile. While the last products of one tile are stored, the slices of the next come. The
// result goes to shared memory, and the copy engine takes it away: only one warp waits
// for that. Tiles are made in bands, whose parts of A and B stay in L2.
// H200: 1.51 ms, 1.14 times as fast as step 3
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
#define BAND                                                                             \
    32 // tiles below each other, before those to the right: what they read stays in L2
#define BUFFERS 2 // for parts of C, 64 columns each
#define PARTS (COLUMNS / 64)
#define SLAB 8192 // bytes of 64 rows of 128 fp8 or 64 bf16
#define ANY_TILE 32

struct stage {
    char a[GROUPS][SLAB];
    char b[COLUMNS][128]; // rows of B
};

struct shared_memory {
    stage stages[STAGES];
    char c[BUFFERS][GROUPS][SLAB];
    uint64_t full[STAGES], empty[STAGES], c_free[BUFFERS], c_done[BUFFERS]; // mbarriers
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

__device__ static void
store_box(const void *from, const CUtensorMap *map, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                 "[%0, {%1, %2}], [%3];" ::"l"(map),
                 "r"(x), "r"(y), "r"(shared_address(from))
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

// Row and column of a tile, in tiles.
__device__ static void
place(int tile, int down, int across, int *row, int *column)
{
    int band = tile / (BAND * across), first = band * BAND,
        height = min(BAND, down - first);
    int inside = tile % (BAND * across);

    *row = first + inside % height;
    *column = inside / height;
}

// One thread asks for slice after slice, as soon as all who read a place have left it.
__device__ static void
produce(shared_memory *s, const CUtensorMap *A, const CUtensorMap *B, int down,
        int across, int slices)
{
    int turn = 0;

    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        int row, column;

        place(tile, down, across, &row, &column);
        for (int k = 0; k < slices; k++, turn++) {
            stage *to = &s->stages[turn % STAGES];
            uint64_t *full = &s->full[turn % STAGES];

            wait(&s->empty[turn % STAGES], turn / STAGES % 2 ^ 1);
            arrive_expecting(full, sizeof(stage));
            load_box(to->a, A, k * DEPTH, row * ROWS, full);
            load_box(to->b, B, k * DEPTH, column * COLUMNS, full);
        }
    }
}

// Takes the results away, 64 columns at a time.
__device__ static void
move_result(shared_memory *s, const CUtensorMap *C, int down, int across)
{
    int turn = 0;

    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        int row, column;

        place(tile, down, across, &row, &column);
        for (int part = 0; part < PARTS; part++, turn++) {
            int from = turn % BUFFERS;

            wait(&s->c_done[from], turn / BUFFERS % 2);
            store_box(s->c[from], C, column * COLUMNS + part * 64, row * ROWS);
            asm volatile("cp.async.bulk.commit_group;");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            arrive(&s->c_free[from]);
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// 64 x 64 of the group's sums go to shared memory, swizzled as the copy engine wants
// them.
__device__ static void
finish(char *c, const float *sum, float scale)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;

#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int row = warp * 16 + h * 8 + lane / 4;

            *(__nv_bfloat162 *)(c + row * 128 + (j ^ row % 8) * 16 + lane % 4 * 4) =
                __floats2bfloat162_rn(scale * sum[j * 4 + h * 2],
                                      scale * sum[j * 4 + h * 2 + 1]);
        }
}

// 128 threads multiply what comes. A slice's place is free when the next slice's products
// have begun.
__device__ static void
consume(shared_memory *s, int group, int tiles, int slices, float scale)
{
    int turn = 0, count = 0;

    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        float sum[COLUMNS / 2], total[COLUMNS / 2] = {};

        for (int first = 0; first < slices; first += TOGETHER) {
            int last = min(first + TOGETHER, slices) - 1;

            for (int k = first; k <= last; k++, turn++) {
                stage *from = &s->stages[turn % STAGES];

                wait(&s->full[turn % STAGES], turn / STAGES % 2);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int i = 0; i < DEPTH / 32; i++)
                    multiply(sum, describe(from->a[group] + i * 32),
                             describe(from->b[0] + i * 32), k - first + i);
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (k > first && threadIdx.x % 128 == 0)
                    arrive(&s->empty[(turn - 1) % STAGES]);
            }
            // The sums stand in the list so that nothing that reads them can be moved
            // before it.
            asm volatile("wgmma.wait_group.sync.aligned 0;"
                         : SIXTY_FOUR(sum, 0), EIGHT(sum, 64), EIGHT(sum, 72),
                           EIGHT(sum, 80), EIGHT(sum, 88)::"memory");
            if (threadIdx.x % 128 == 0)
                arrive(&s->empty[(turn - 1) % STAGES]);
#pragma unroll
            for (int i = 0; i < COLUMNS / 2; i++)
                total[i] += sum[i];
        }
#pragma unroll
        for (int part = 0; part < PARTS; part++, count++) {
            wait(&s->c_free[count % BUFFERS], count / BUFFERS % 2 ^ 1);
            finish(s->c[count % BUFFERS][group], total + part * 32, scale);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            arrive(&s->c_done[count % BUFFERS]);
        }
    }
}

__global__ void
__launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
         const __grid_constant__ CUtensorMap C, int down, int across, int slices,
         float scale)
{
    extern __shared__ __align__(1024) char memory[];
    shared_memory *s = (shared_memory *)memory;
    int group = threadIdx.x / 128;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&s->full[i], 1);
            barrier_init(&s->empty[i], GROUPS);
        }
        for (int i = 0; i < BUFFERS; i++) {
            barrier_init(&s->c_free[i], 1);
            barrier_init(&s->c_done[i], GROUPS * 128);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == GROUPS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == GROUPS * 128)
            produce(s, &A, &B, down, across, slices);

        else if (threadIdx.x == GROUPS * 128 + 32)
            move_result(s, &C, down, across);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(s, group, down * across, slices, scale);
    }
}

// What the copy engine must know of a matrix: its size, and boxes of 128 bytes by
// box_rows rows.
static void
describe_matrix(CUtensorMap *map, CUtensorMapDataType type, const void *matrix, int rows,
                int columns, int box_rows)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    const int bytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT8 ? 1 : 2;
    cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows};
    cuuint64_t pitch[1] = {(cuuint64_t)columns * bytes};
    cuuint32_t box[2] = {(cuuint32_t)(128 / bytes), (cuuint32_t)box_rows},
               step[2] = {1, 1};
    cudaDriverEntryPointQueryResult found;

    if (encode == nullptr)
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode,
                                         12000, cudaEnableDefault, &found);
    encode(map, type, 2, (void *)matrix, size, pitch, box, step,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static int
processors(void)
{
    int count;

    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
}

extern "C" void
solve(const uint8_t *A, const uint8_t *B, bf16 *C, int M, int N, int K, float scale_a,
      float scale_b)
{
    static const int all = processors();
    int down = (M + ROWS - 1) / ROWS, across = (N + COLUMNS - 1) / COLUMNS;
    dim3 grid((N + ANY_TILE - 1) / ANY_TILE, (M + ANY_TILE - 1) / ANY_TILE);
    CUtensorMap a, b, c;

    if (N % 8 != 0 || K % 16 != 0) { // rows that begin anywhere
        multiply_any<<<grid, dim3(ANY_TILE, ANY_TILE)>>>(A, B, C, M, N, K,
                                                         scale_a * scale_b);
        return;
    }
    describe_matrix(&a, CU_TENSOR_MAP_DATA_TYPE_UINT8, A, M, K, ROWS);
    describe_matrix(&b, CU_TENSOR_MAP_DATA_TYPE_UINT8, B, N, K, COLUMNS);
    describe_matrix(&c, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, C, M, N, ROWS);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(shared_memory));
    gemm<<<min(all, down * across), THREADS, sizeof(shared_memory)>>>(
        a, b, c, down, across, (K + DEPTH - 1) / DEPTH, scale_a * scale_b);
}
