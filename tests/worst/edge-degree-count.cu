// warpjudge: edge-degree-count
// One thread does everything.
__global__ void
serial(const int *src, const int *dst, int *out_degree, int *in_degree, int E, int V)
{
    for (int v = 0; v < V; v++)
        out_degree[v] = in_degree[v] = 0;
    for (int e = 0; e < E; e++) {
        out_degree[src[e]]++;
        in_degree[dst[e]]++;
    }
}

extern "C" void
solve(const int *src, const int *dst, int *out_degree, int *in_degree, int E, int V)
{
    serial<<<1, 1>>>(src, dst, out_degree, in_degree, E, V);
}
