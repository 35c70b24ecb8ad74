// warpjudge: stream-compaction
// expect: wrong_answer
// Right in all but the comparison: zeros are kept too, and push what follows them to the right.
#include <cub/cub.cuh>

struct not_negative {
    __device__ bool
    operator()(float x) const
    {
        return x >= 0.0f;
    }
};

extern "C" void
solve(const float *A, int N, float *out)
{
    size_t bytes = 0;
    void *room = nullptr;
    int *kept;

    cudaMalloc(&kept, sizeof(int));
    cub::DeviceSelect::If(room, bytes, A, out, kept, N, not_negative());
    cudaMalloc(&room, bytes);
    cub::DeviceSelect::If(room, bytes, A, out, kept, N, not_negative());
    cudaFree(room);
    cudaFree(kept);
}
