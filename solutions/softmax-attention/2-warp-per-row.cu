// warpjudge: softmax-attention
// expect: accepted
// idea: One thread for each row of scores makes the threads of a warp read rows apart. Let a warp
//   compute the softmax of a row, so that its lanes read neighbouring scores.
// The softmax of a row by a warp: its 32 lanes read 32 neighbouring scores, where the threads of a
// warp used to read 32 rows.
// H200: 45.8 ms, 1.19 times as fast as step 1
#include <cuda_runtime.h>

#define ROWS 4 // of a block of the softmax

__global__ void
scores(const float *Q, const float *K, float *S, int M, int N, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j < N) {
        float dot = 0.0f;

        for (int c = 0; c < d; c++)
            dot += Q[i * d + c] * K[j * d + c];
        S[(size_t)i * N + j] = dot / sqrtf((float)d);
    }
}

// The largest, or the sum, of a warp's values, in every lane.
__device__ static float
warp_max(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset));
    return value;
}

__device__ static float
warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value;
}

__global__ void
softmax(float *S, int M, int N)
{
    int i = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;

    if (i < M) {
        float *row = S + (size_t)i * N, top = -INFINITY, sum = 0.0f;

        for (int j = lane; j < N; j += 32)
            top = fmaxf(top, row[j]);
        top = warp_max(top);
        for (int j = lane; j < N; j += 32) {
            float e = expf(row[j] - top);

            row[j] = e;
            sum += e;
        }
        sum = warp_sum(sum);
        for (int j = lane; j < N; j += 32)
            row[j] /= sum;
    }
}

__global__ void
combine(const float *S, const float *V, float *output, int M, int N, int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && c < d) {
        float sum = 0.0f;

        for (int j = 0; j < N; j++)
            sum += S[(size_t)i * N + j] * V[j * d + c];
        output[i * d + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    dim3 block(16, 16);
    float *S;

    cudaMalloc(&S, (size_t)M * N * sizeof(float));
    scores<<<dim3((N + 15) / 16, (M + 15) / 16), block>>>(Q, K, S, M, N, d);
    softmax<<<(M + ROWS - 1) / ROWS, dim3(32, ROWS)>>>(S, M, N);
    combine<<<dim3((d + 15) / 16, (M + 15) / 16), block>>>(S, V, output, M, N, d);
    cudaFree(S);
}
