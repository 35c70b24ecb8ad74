// warpjudge: k-means-clustering
// One thread labels all points and moves all centroids, a launch for each iteration.
__global__ void
iterate(const float *data_x, const float *data_y, int *labels, float *cx, float *cy, int n, int k)
{
    for (int i = 0; i < n; i++) {
        float least = INFINITY;

        for (int j = 0; j < k; j++) {
            float x = data_x[i] - cx[j], y = data_y[i] - cy[j];

            if (x * x + y * y < least) {
                least = x * x + y * y;
                labels[i] = j;
            }
        }
    }
    for (int j = 0; j < k; j++) {
        double x = 0, y = 0;
        int count = 0;

        for (int i = 0; i < n; i++)
            if (labels[i] == j) {
                x += data_x[i];
                y += data_y[i];
                count++;
            }
        if (count > 0) {
            cx[j] = x / count;
            cy[j] = y / count;
        }
    }
}

extern "C" void
solve(const float *data_x, const float *data_y, int *labels, float *initial_centroid_x,
      float *initial_centroid_y, float *final_centroid_x, float *final_centroid_y, int sample_size, int k,
      int max_iterations)
{
    cudaMemcpy(final_centroid_x, initial_centroid_x, k * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(final_centroid_y, initial_centroid_y, k * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int i = 0; i < max_iterations; i++)
        iterate<<<1, 1>>>(data_x, data_y, labels, final_centroid_x, final_centroid_y, sample_size, k);
}
