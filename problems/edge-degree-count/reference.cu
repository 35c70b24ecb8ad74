/* Counts, exactly. Threads of a warp that meet at one vertex add their number at once, for
 * the sake of vertices with very many edges. */
__device__ static void
count(int *degree, int v)
{
    unsigned same = __match_any_sync(__activemask(), v);

    if (__ffs(same) - 1 == (int)(threadIdx.x % 32))
        atomicAdd(&degree[v], __popc(same));
}

__global__ static void
count_edges(const int *src, const int *dst, int *out_degree, int *in_degree, int E)
{
    int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (e < E) {
        count(out_degree, src[e]);
        count(in_degree, dst[e]);
    }
}

extern "C" void
solve(const int *src, const int *dst, int *out_degree, int *in_degree, int E, int V)
{
    cudaMemset(out_degree, 0, (size_t)V * sizeof *out_degree);
    cudaMemset(in_degree, 0, (size_t)V * sizeof *in_degree);
    count_edges<<<(E + 255) / 256, 256>>>(src, dst, out_degree, in_degree, E);
}
