// warpjudge: top-p-sampling
// expect: accepted
// CUB sorts the scores; one thread then adds up, cuts and draws.
#include <cub/cub.cuh>
#include <curand_kernel.h>

__global__ void
number(int *index, int vocab_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < vocab_size)
        index[i] = i;
}

// Scores fall: the first is the largest.
__global__ void
draw(const float *scores, const int *index, const float *p, const int *seed, int *sampled_token, int vocab_size)
{
    double sum = 0.0, nucleus = 0.0, running = 0.0;
    int count = 0;
    curandStatePhilox4_32_10_t state;

    for (int r = 0; r < vocab_size; r++)
        sum += expf(scores[r] - scores[0]);
    while (count < vocab_size && nucleus < *p * sum)
        nucleus += expf(scores[count++] - scores[0]);

    curand_init(*seed, 0, 0, &state);
    double target = (1.0 - curand_uniform_double(&state)) * nucleus;
    int r = 0;

    while (r < count - 1) {
        running += expf(scores[r] - scores[0]);
        if (running > target)
            break;
        r++;
    }
    *sampled_token = index[r];
}

extern "C" void
solve(const float *logits, const float *p, const int *seed, int *sampled_token, int vocab_size)
{
    float *scores;
    int *index, *order;
    void *room = nullptr;
    size_t bytes = 0;

    cudaMalloc(&scores, vocab_size * sizeof(float));
    cudaMalloc(&index, vocab_size * sizeof(int));
    cudaMalloc(&order, vocab_size * sizeof(int));
    number<<<(vocab_size + 255) / 256, 256>>>(index, vocab_size);
    cub::DeviceRadixSort::SortPairsDescending(room, bytes, logits, scores, index, order, vocab_size);
    cudaMalloc(&room, bytes);
    cub::DeviceRadixSort::SortPairsDescending(room, bytes, logits, scores, index, order, vocab_size);
    draw<<<1, 1>>>(scores, order, p, seed, sampled_token, vocab_size);
    cudaFree(room);
    cudaFree(order);
    cudaFree(index);
    cudaFree(scores);
}
