/* An element's place is its own index and how many of the other array come before it: of equal
 * ones, A's come first. A thread for each element. */
__device__ static int
before(const float *sorted, int count, float value, bool equal_too)
{
    int low = 0, high = count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (sorted[middle] < value || (equal_too && sorted[middle] == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ static void
merge(const float *A, const float *B, float *C, int M, int N)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), j = i - M;

    if (i < M)
        C[i + before(B, N, A[i], false)] = A[i];
    else if (j < N)
        C[j + before(A, M, B[j], true)] = B[j];
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N)
{
    merge<<<(unsigned)(M + N + 255) / 256, 256>>>(A, B, C, M, N);
}
