// warpjudge: segmented-exclusive-prefix-sum
// thrust: the flags' running sum are the keys of an exclusive_scan_by_key.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

extern "C" void
solve(const float *values, const int *flags, float *output, int N)
{
    thrust::device_vector<int> key(N);

    thrust::inclusive_scan(thrust::device, flags, flags + N, key.begin());
    thrust::exclusive_scan_by_key(thrust::device, thrust::raw_pointer_cast(key.data()),
                                  thrust::raw_pointer_cast(key.data()) + N, values, output);
}
