// warpjudge: nearest-neighbor
// expect: accepted
// Each operation of a squared distance is rounded.
#include <cuda_runtime.h>

__global__ void
search(const float *points, int *indices, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = -1;
    float least = INFINITY;

    if (i >= N)
        return;
    float x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];

    for (int j = 0; j < N; j++) {
        float dx = points[3 * j] - x, dy = points[3 * j + 1] - y, dz = points[3 * j + 2] - z;
        float d = __fadd_rn(__fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)), __fmul_rn(dz, dz));

        if (j != i && d < least) {
            best = j;
            least = d;
        }
    }
    indices[i] = best;
}

extern "C" void
solve(const float *points, int *indices, int N)
{
    search<<<(N + 127) / 128, 128>>>(points, indices, N);
}
