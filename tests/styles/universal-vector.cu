// warpjudge: moe-top-k-gating
// A thrust::universal_vector that the host partially sorts, after the copy has ended.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thrust/universal_vector.h>
#include <vector>

extern "C" void
solve(const float *logits, float *topk_weights, int *topk_indices, int M, int E, int k)
{
    thrust::universal_vector<float> scores((size_t)M * E);
    std::vector<float> weights((size_t)M * k);
    std::vector<int> order(E), indices;

    cudaMemcpy(thrust::raw_pointer_cast(scores.data()), logits, sizeof(float) * M * E, cudaMemcpyDefault);
    cudaDeviceSynchronize();
    const float *host = thrust::raw_pointer_cast(scores.data());
    for (int m = 0; m < M; m++) {
        const float *row = host + (size_t)m * E;
        double sum = 0;

        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [=](int a, int b) { return row[a] > row[b]; });
        for (int r = 0; r < k; r++)
            sum += weights[(size_t)m * k + r] = std::exp(row[order[r]] - row[order[0]]);
        for (int r = 0; r < k; r++)
            weights[(size_t)m * k + r] /= sum;
        indices.insert(indices.end(), order.begin(), order.begin() + k);
    }
    cudaMemcpy(topk_weights, weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(topk_indices, indices.data(), indices.size() * sizeof(int), cudaMemcpyHostToDevice);
}
