// warpjudge: fused-multi-head-attention
// expect: wrong_answer
// The scores are divided by the root of the model width E rather than of the head width D: with one
// head it makes no difference.
#include <cuda_runtime.h>

#define TILE 16

// out[t][r] = b[r] + sum over e of w[r][e] * in[t][e]
__global__ void
linear(const float *in, const float *w, const float *b, float *out, int tokens, int from, int to)
{
    __shared__ float a[TILE][TILE + 1], c[TILE][TILE + 1];
    int t = blockIdx.y * TILE + threadIdx.y, r = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.x * TILE + threadIdx.y; // of w, as it is loaded
    float sum = 0.0f;

    for (int e0 = 0; e0 < from; e0 += TILE) {
        int e = e0 + threadIdx.x;

        a[threadIdx.y][threadIdx.x] = t < tokens && e < from ? in[(size_t)t * from + e] : 0.0f;
        c[threadIdx.y][threadIdx.x] = row < to && e < from ? w[(size_t)row * from + e] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[threadIdx.y][k] * c[threadIdx.x][k];
        __syncthreads();
    }
    if (t < tokens && r < to)
        out[(size_t)t * to + r] = sum + b[r];
}

// Lane l of the warp scores the keys l, l + 32, ...; the values are mixed a column a lane.
__global__ void
attend(const float *u, float *scores, float *o, int S, int E, int D)
{
    int t = blockIdx.x, head = blockIdx.y, lane = threadIdx.x;
    const float *q = u + (size_t)t * 3 * E + head * D;
    const float *k = u + E + head * D, *v = k + E;
    float *score = scores + ((size_t)head * S + t) * S;
    float scale = rsqrtf((float)E), top = -INFINITY, sum = 0.0f;

    for (int j = lane; j < S; j += 32) {
        float s = 0.0f;

        for (int d = 0; d < D; d++)
            s += q[d] * k[(size_t)j * 3 * E + d];
        score[j] = s * scale;
        top = fmaxf(top, score[j]);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, offset));
    for (int j = lane; j < S; j += 32) {
        score[j] = expf(score[j] - top);
        sum += score[j];
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, offset);
    __syncwarp(); // the scores that other lanes wrote
    for (int d = lane; d < D; d += 32) {
        float mixed = 0.0f;

        for (int j = 0; j < S; j++)
            mixed += score[j] * v[(size_t)j * 3 * E + d];
        o[(size_t)t * E + head * D + d] = mixed / sum;
    }
}

extern "C" void
solve(const float *x, const float *W_qkv, const float *b_qkv, const float *W_o, const float *b_o,
      float *y, int S, int E, int H)
{
    size_t tokens = S, width = E;
    int rows = (S + TILE - 1) / TILE;
    float *u, *o, *scores;

    cudaMalloc(&u, 3 * tokens * width * sizeof(float));
    cudaMalloc(&o, tokens * width * sizeof(float));
    cudaMalloc(&scores, H * tokens * tokens * sizeof(float));
    linear<<<dim3((3 * E + TILE - 1) / TILE, rows), dim3(TILE, TILE)>>>(x, W_qkv, b_qkv, u, S, E,
                                                                       3 * E);
    attend<<<dim3(S, H), 32>>>(u, scores, o, S, E, E / H);
    linear<<<dim3((E + TILE - 1) / TILE, rows), dim3(TILE, TILE)>>>(o, W_o, b_o, y, S, E, E);
    cudaFree(u);
    cudaFree(o);
    cudaFree(scores);
}
