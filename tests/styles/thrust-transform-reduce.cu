// warpjudge: max-subarray-sum
// A device_vector of prefix sums, and transform_reduce over a counting iterator.
#include <climits>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>

struct Window {
    const int *before;
    int size;
    __host__ __device__ int operator()(int i) const { return before[i + size] - before[i]; }
};

extern "C" void
solve(const int *input, int *output, int N, int window_size)
{
    thrust::device_vector<int> before(N + 1);

    thrust::inclusive_scan(thrust::device_pointer_cast(input), thrust::device_pointer_cast(input) + N,
                           before.begin() + 1);
    const int top = thrust::transform_reduce(
        thrust::device, thrust::make_counting_iterator(0), thrust::make_counting_iterator(N - window_size + 1),
        Window{thrust::raw_pointer_cast(before.data()), window_size}, INT_MIN, thrust::maximum<int>());
    cudaMemcpy(output, &top, sizeof top, cudaMemcpyHostToDevice);
}
