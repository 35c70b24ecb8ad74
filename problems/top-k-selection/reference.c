/* A heap of the k largest so far, the smallest of them at its root; then those in order.
 */
#include <stdlib.h>

static void
sink(float *heap, int k, int at)
{
    for (int child = 2 * at + 1; child < k; child = 2 * at + 1) {
        float up;

        if (child + 1 < k && heap[child + 1] < heap[child])
            child++;
        if (heap[at] <= heap[child])
            return;
        up = heap[child];
        heap[child] = heap[at];
        heap[at] = up;
        at = child;
    }
}

void
solve(const float *input, float *output, int N, int k)
{
    for (int i = 0; i < k; i++)
        output[i] = input[i];
    for (int at = k / 2; at >= 0; at--)
        sink(output, k, at);
    for (int i = k; i < N; i++)
        if (input[i] > output[0]) {
            output[0] = input[i];
            sink(output, k, 0);
        }
    for (int left = k - 1; left > 0; left--) {
        float smallest = output[0];

        output[0] = output[left];
        output[left] = smallest;
        sink(output, left, 0);
    }
}
