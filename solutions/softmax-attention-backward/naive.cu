// warpjudge: softmax-attention-backward
// expect: accepted
// The formulas one after the other, P and dS as whole matrices.
#include <cuda_runtime.h>

// C[i][j] = the dot product of row i of A and row j of B, times scale
__global__ void
dots(const float *A, const float *B, float *C, int M, int N, int d, float scale)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j < N) {
        float sum = 0.0f;

        for (int c = 0; c < d; c++)
            sum += A[i * d + c] * B[j * d + c];
        C[(size_t)i * N + j] = sum * scale;
    }
}

__global__ void
softmax(float *P, int M, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < M) {
        float *row = P + (size_t)i * N, top = -INFINITY, sum = 0.0f;

        for (int j = 0; j < N; j++)
            top = fmaxf(top, row[j]);
        for (int j = 0; j < N; j++) {
            row[j] = expf(row[j] - top);
            sum += row[j];
        }
        for (int j = 0; j < N; j++)
            row[j] /= sum;
    }
}

// dP becomes dS, the gradient of the scores before they were scaled.
__global__ void
softmax_backward(const float *P, float *dP, int M, int N, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < M) {
        const float *p = P + (size_t)i * N;
        float *row = dP + (size_t)i * N, mean = 0.0f;

        for (int j = 0; j < N; j++)
            mean += p[j] * row[j];
        for (int j = 0; j < N; j++)
            row[j] = p[j] * (row[j] - mean) * scale;
    }
}

// dQ = dS K
__global__ void
times(const float *S, const float *B, float *C, int M, int N, int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && c < d) {
        float sum = 0.0f;

        for (int j = 0; j < N; j++)
            sum += S[(size_t)i * N + j] * B[j * d + c];
        C[i * d + c] = sum;
    }
}

// dK = dS^T Q and dV = P^T dO
__global__ void
transposed_times(const float *S, const float *B, float *C, int M, int N, int d)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;

    if (j < N && c < d) {
        float sum = 0.0f;

        for (int i = 0; i < M; i++)
            sum += S[(size_t)i * N + j] * B[i * d + c];
        C[j * d + c] = sum;
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, const float *dO, float *dQ,
      float *dK, float *dV, int M, int N, int d)
{
    int rows = (M + 15) / 16, keys = (N + 15) / 16, columns = (d + 15) / 16;
    dim3 block(16, 16), pairs(keys, rows);
    float scale = 1.0f / sqrtf((float)d);
    float *P, *dP;

    cudaMalloc(&P, (size_t)M * N * sizeof(float));
    cudaMalloc(&dP, (size_t)M * N * sizeof(float));
    dots<<<pairs, block>>>(Q, K, P, M, N, d, scale);
    softmax<<<(M + 63) / 64, 64>>>(P, M, N);
    dots<<<pairs, block>>>(dO, V, dP, M, N, d, 1.0f);
    softmax_backward<<<(M + 63) / 64, 64>>>(P, dP, M, N, scale);
    times<<<dim3(columns, rows), block>>>(dP, K, dQ, M, N, d);
    transposed_times<<<dim3(columns, keys), block>>>(dP, Q, dK, M, N, d);
    transposed_times<<<dim3(columns, keys), block>>>(P, dO, dV, M, N, d);
    cudaFree(P);
    cudaFree(dP);
}
