// warpjudge: nearest-neighbor
// A thread for each point looks at all others.
__global__ void
each(const float *points, int *indices, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float least = INFINITY;
    int nearest = -1;

    if (i >= N)
        return;
    for (int j = 0; j < N; j++) {
        float x = points[3 * i] - points[3 * j], y = points[3 * i + 1] - points[3 * j + 1];
        float z = points[3 * i + 2] - points[3 * j + 2], distance = x * x + y * y + z * z;

        if (j != i && distance < least) {
            least = distance;
            nearest = j;
        }
    }
    indices[i] = nearest;
}

extern "C" void
solve(const float *points, int *indices, int N)
{
    each<<<(N + 255) / 256, 256>>>(points, indices, N);
}
