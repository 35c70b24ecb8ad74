// warpjudge: vector-addition
// A template that is declared extern, used, and instantiated at the end.
template <typename T> void launch(const T *A, const T *B, T *C, int N);
extern template void launch<float>(const float *, const float *, float *, int);

void
solve(const float *A, const float *B, float *C, int N)
{
    launch<float>(A, B, C, N);
}

template <typename T> __global__ void add(const T *A, const T *B, T *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

template <typename T> void launch(const T *A, const T *B, T *C, int N)
{
    add<T><<<(N + 255) / 256, 256>>>(A, B, C, N);
}

template void launch<float>(const float *, const float *, float *, int);
