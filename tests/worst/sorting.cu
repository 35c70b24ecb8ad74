// warpjudge: sorting
// One thread, a heap sort.
__device__ void
sink(float *heap, int at, int end)
{
    for (;;) {
        int child = 2 * at + 1;

        if (child >= end)
            return;
        if (child + 1 < end && heap[child + 1] > heap[child])
            child++;
        if (heap[at] >= heap[child])
            return;
        float kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
        at = child;
    }
}

__global__ void
serial(float *data, int N)
{
    for (int start = N / 2 - 1; start >= 0; start--)
        sink(data, start, N);
    for (int end = N - 1; end > 0; end--) {
        float kept = data[0];

        data[0] = data[end];
        data[end] = kept;
        sink(data, 0, end);
    }
}

extern "C" void
solve(float *data, int N)
{
    serial<<<1, 1>>>(data, N);
}
