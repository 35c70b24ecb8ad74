/* Distances, sums and means in double. A thread finds the nearest centroid of a point; a block adds up
 * the points of a cluster, by a tree, in the same order every time. */
#define THREADS 1024

__global__ static void
begin(const float *x, const float *y, double2 *centroid, int k)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (j < k)
        centroid[j] = make_double2(x[j], y[j]);
}

__global__ static void
assign(const float *x, const float *y, const double2 *centroid, int *labels, int points, int k)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), best = 0;
    double least = INFINITY;

    if (i >= points)
        return;
    for (int j = 0; j < k; j++) {
        double dx = x[i] - centroid[j].x, dy = y[i] - centroid[j].y, d = dx * dx + dy * dy;

        if (d < least) {
            best = j;
            least = d;
        }
    }
    labels[i] = best;
}

__global__ static void
move(const float *x, const float *y, const int *labels, double2 *centroid, int points)
{
    __shared__ double sum_x[THREADS], sum_y[THREADS];
    __shared__ int count[THREADS];
    const unsigned t = threadIdx.x;

    sum_x[t] = sum_y[t] = 0;
    count[t] = 0;
    for (int i = (int)t; i < points; i += THREADS)
        if (labels[i] == (int)blockIdx.x) {
            sum_x[t] += x[i];
            sum_y[t] += y[i];
            count[t]++;
        }
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            sum_x[t] += sum_x[t + half];
            sum_y[t] += sum_y[t + half];
            count[t] += count[t + half];
        }
        __syncthreads();
    }
    if (t == 0 && count[0] > 0)
        centroid[blockIdx.x] = make_double2(sum_x[0] / count[0], sum_y[0] / count[0]);
}

__global__ static void
finish(const double2 *centroid, float *x, float *y, int k)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (j < k) {
        x[j] = (float)centroid[j].x;
        y[j] = (float)centroid[j].y;
    }
}

extern "C" void
solve(const float *data_x, const float *data_y, int *labels, float *initial_centroid_x, float *initial_centroid_y,
      float *final_centroid_x, float *final_centroid_y, int sample_size, int k, int max_iterations)
{
    unsigned few = (unsigned)(k + 255) / 256, many = (unsigned)(sample_size + 255) / 256;
    double2 *centroid;

    if (cudaMalloc(&centroid, (size_t)k * sizeof *centroid) != cudaSuccess)
        return;
    begin<<<few, 256>>>(initial_centroid_x, initial_centroid_y, centroid, k);
    for (int iteration = 0; iteration < max_iterations; iteration++) {
        assign<<<many, 256>>>(data_x, data_y, centroid, labels, sample_size, k);
        move<<<(unsigned)k, THREADS>>>(data_x, data_y, labels, centroid, sample_size);
    }
    finish<<<few, 256>>>(centroid, final_centroid_x, final_centroid_y, k);
    cudaFree(centroid);
}
