// warpjudge: flash-attention-forward
// expect: accepted
// idea: A softmax needs its maximum first, but a running maximum will do if what was gathered is
//   rescaled whenever it grows. Give each query a warp, whose lanes take a key each.
// A warp for each row. It takes 32 keys at a time, a key a lane, and rescales what it has gathered
// when the maximum grows; each lane owns every 32nd column of the output.
// H200: 1.15 s
#include <cuda_fp16.h>

#define WARPS 4
#define OWN 4 // columns of a lane: D is at most 128

__global__ void
attend(const half *Q, const half *K, const half *V, half *O, float *LSE, int S, int D)
{
    int lane = threadIdx.x, i = blockIdx.x * WARPS + threadIdx.y;
    size_t head = (size_t)blockIdx.y * S;
    float top = -INFINITY, sum = 0.0f, mixed[OWN] = {0.0f, 0.0f, 0.0f, 0.0f};
    float scale = rsqrtf((float)D);

    if (i >= S)
        return;
    const half *q = Q + (head + i) * D;

    for (int j0 = 0; j0 <= i; j0 += 32) {
        int j = j0 + lane;
        float s = 0.0f, tile_top, keep, p;

        if (j <= i)
            for (int d = 0; d < D; d++)
                s += __half2float(q[d]) * __half2float(K[(head + j) * D + d]);
        s = j <= i ? s * scale : -INFINITY;
        tile_top = s;
        for (int offset = 16; offset > 0; offset /= 2)
            tile_top = fmaxf(tile_top, __shfl_xor_sync(0xFFFFFFFFu, tile_top, offset));
        tile_top = fmaxf(tile_top, top);
        keep = expf(top - tile_top); // 0 in the first tile
        p = expf(s - tile_top);
        top = tile_top;
        sum = sum * keep + p;
        for (int o = 0; o < OWN; o++)
            mixed[o] *= keep;
        for (int k = 0; k < 32 && j0 + k <= i; k++) {
            float weight = __shfl_sync(0xFFFFFFFFu, p, k);

            for (int o = 0; o < OWN; o++)
                if (lane + 32 * o < D)
                    mixed[o] += weight * __half2float(V[(head + j0 + k) * D + lane + 32 * o]);
        }
    }
    // Each lane has rescaled its own part of the sum all along by the same factors.
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, offset);
    for (int o = 0; o < OWN; o++)
        if (lane + 32 * o < D)
            O[(head + i) * D + lane + 32 * o] = __float2half(mixed[o] / sum);
    if (lane == 0)
        LSE[head + i] = top + logf(sum);
}

extern "C" void
solve(const half *Q, const half *K, const half *V, half *O, float *LSE, int B, int H, int S, int D)
{
    attend<<<dim3((S + WARPS - 1) / WARPS, B * H), dim3(32, WARPS)>>>(Q, K, V, O, LSE, S, D);
}
