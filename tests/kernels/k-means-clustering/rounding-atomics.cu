// warpjudge: k-means-clustering
// expect: accepted
// Sums in float by atomics, in an order that differs from run to run.
#include <cuda_runtime.h>

__global__ void
assign(const float *data_x, const float *data_y, const float *cx, const float *cy, int *labels, float *sum_x,
       float *sum_y, int *count, int sample_size, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float least = INFINITY;

    if (i >= sample_size)
        return;
    for (int j = 0; j < k; j++) {
        float dx = data_x[i] - cx[j], dy = data_y[i] - cy[j];
        float d = dx * dx + dy * dy;

        if (d < least) {
            least = d;
            best = j;
        }
    }
    labels[i] = best;
    atomicAdd(&sum_x[best], data_x[i]);
    atomicAdd(&sum_y[best], data_y[i]);
    atomicAdd(&count[best], 1);
}

// Also clears the sums for the next iteration.
__global__ void
move(float *cx, float *cy, float *sum_x, float *sum_y, int *count, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j >= k)
        return;
    if (count[j] > 0) {
        cx[j] = sum_x[j] / count[j];
        cy[j] = sum_y[j] / count[j];
    }
    sum_x[j] = sum_y[j] = 0;
    count[j] = 0;
}

extern "C" void
solve(const float *data_x, const float *data_y, int *labels, float *initial_centroid_x, float *initial_centroid_y,
      float *final_centroid_x, float *final_centroid_y, int sample_size, int k, int max_iterations)
{
    float *sum;
    int *count;

    cudaMalloc(&sum, 2 * k * sizeof(float));
    cudaMalloc(&count, k * sizeof(int));
    cudaMemset(sum, 0, 2 * k * sizeof(float));
    cudaMemset(count, 0, k * sizeof(int));
    cudaMemcpy(final_centroid_x, initial_centroid_x, k * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(final_centroid_y, initial_centroid_y, k * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int iteration = 0; iteration < max_iterations; iteration++) {
        assign<<<(sample_size + 255) / 256, 256>>>(data_x, data_y, final_centroid_x, final_centroid_y, labels, sum,
                                                   sum + k, count, sample_size, k);
        move<<<(k + 255) / 256, 256>>>(final_centroid_x, final_centroid_y, sum, sum + k, count, k);
    }
    cudaFree(sum);
    cudaFree(count);
}
