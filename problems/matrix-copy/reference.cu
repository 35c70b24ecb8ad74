/* A copy. */
extern "C" void
solve(const float *A, float *B, int N)
{
    cudaMemcpy(B, A, (size_t)N * (size_t)N * sizeof *B, cudaMemcpyDeviceToDevice);
}
