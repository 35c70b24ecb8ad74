// CUB called directly, for tests/gpu/baselines. Each function tells with room == nullptr how many
// bytes it needs there, and works with them otherwise.
#include <cub/cub.cuh>

extern "C" void
sort_keys(void *room, size_t *bytes, const unsigned *from, unsigned *to, int count)
{
    cub::DeviceRadixSort::SortKeys(room, *bytes, from, to, count);
}

extern "C" void
scan_floats(void *room, size_t *bytes, const float *from, float *to, int count)
{
    cub::DeviceScan::InclusiveSum(room, *bytes, from, to, count);
}

extern "C" void
sum_floats(void *room, size_t *bytes, const float *from, float *to, int count)
{
    cub::DeviceReduce::Sum(room, *bytes, from, to, count);
}

extern "C" void
histogram(void *room, size_t *bytes, const int *from, int *to, int bins, int count)
{
    cub::DeviceHistogram::HistogramEven(room, *bytes, from, to, bins + 1, 0, bins, count);
}
