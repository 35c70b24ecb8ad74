// warpjudge: vector-addition
// Extended lambdas for the device, host lambdas around them.
template <class F> __global__ void for_each(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        f(i);
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    auto launch = [&](auto f) { for_each<<<(N + 255) / 256, 256>>>(N, f); };

    launch([=] __device__(int i) { C[i] = A[i] + B[i]; });
    [] { cudaDeviceSynchronize(); }();
}
