// warpjudge: k-means-clustering
// expect: accepted
// Distances with a fused multiply-add; sums in float, from the first point up.
#include <cuda_runtime.h>

#define THREADS 512

__global__ void
assign(const float *data_x, const float *data_y, const float *cx, const float *cy, int *labels, int sample_size, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float least = INFINITY;

    if (i >= sample_size)
        return;
    for (int j = 0; j < k; j++) {
        float dx = data_x[i] - cx[j], dy = data_y[i] - cy[j];
        float d = fmaf(dx, dx, __fmul_rn(dy, dy));

        if (d < least) {
            least = d;
            best = j;
        }
    }
    labels[i] = best;
}

// A block for each centroid.
__global__ void
move(const float *data_x, const float *data_y, const int *labels, float *cx, float *cy, int sample_size)
{
    __shared__ float sum_x[THREADS], sum_y[THREADS];
    __shared__ int count[THREADS];
    const int t = threadIdx.x, j = blockIdx.x;

    sum_x[t] = sum_y[t] = 0;
    count[t] = 0;
    for (int i = t; i < sample_size; i += THREADS)
        if (labels[i] == j) {
            sum_x[t] += data_x[i];
            sum_y[t] += data_y[i];
            count[t]++;
        }
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            sum_x[t] += sum_x[t + half];
            sum_y[t] += sum_y[t + half];
            count[t] += count[t + half];
        }
        __syncthreads();
    }
    if (t == 0 && count[0] > 0) {
        cx[j] = sum_x[0] / count[0];
        cy[j] = sum_y[0] / count[0];
    }
}

extern "C" void
solve(const float *data_x, const float *data_y, int *labels, float *initial_centroid_x, float *initial_centroid_y,
      float *final_centroid_x, float *final_centroid_y, int sample_size, int k, int max_iterations)
{
    cudaMemcpy(final_centroid_x, initial_centroid_x, k * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(final_centroid_y, initial_centroid_y, k * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int iteration = 0; iteration < max_iterations; iteration++) {
        assign<<<(sample_size + 255) / 256, 256>>>(data_x, data_y, final_centroid_x, final_centroid_y, labels,
                                                   sample_size, k);
        move<<<k, THREADS>>>(data_x, data_y, labels, final_centroid_x, final_centroid_y, sample_size);
    }
}
