// warpjudge: fused-linear-cross-entropy
// A thread for each row keeps all its probabilities, then one for each class adds up dW, in double.
__global__ void
rows(const float *X, const float *W, const int *labels, double *losses, double *g, float *dX, int N, int D, int V)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    double top = -INFINITY, sum = 0;

    if (n >= N)
        return;
    for (int v = 0; v < V; v++) {
        double score = 0;

        for (int d = 0; d < D; d++)
            score += (double)X[n * D + d] * W[v * D + d];
        g[(size_t)n * V + v] = score;
        top = fmax(top, score);
    }
    for (int v = 0; v < V; v++)
        sum += exp(g[(size_t)n * V + v] - top);
    losses[n] = labels[n] < 0 ? 0 : log(sum) + top - g[(size_t)n * V + labels[n]];
    for (int v = 0; v < V; v++)
        g[(size_t)n * V + v] = labels[n] < 0 ? 0 : exp(g[(size_t)n * V + v] - top) / sum - (v == labels[n]);
    for (int d = 0; d < D; d++) {
        double row = 0;

        for (int v = 0; v < V; v++)
            row += g[(size_t)n * V + v] * W[v * D + d];
        dX[n * D + d] = (float)row;
    }
}

__global__ void
classes(const float *X, const double *losses, const double *g, float *loss, float *dW, int N, int D, int V)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0;

    if (v == 0) {
        for (int n = 0; n < N; n++)
            total += losses[n];
        *loss = (float)total;
    }
    if (v >= V)
        return;
    for (int d = 0; d < D; d++) {
        double sum = 0;

        for (int n = 0; n < N; n++)
            sum += g[(size_t)n * V + v] * X[n * D + d];
        dW[v * D + d] = (float)sum;
    }
}

extern "C" void
solve(const float *X, const float *W, const int *labels, float *loss, float *dX, float *dW, int N, int D, int V)
{
    double *losses, *g;

    cudaMalloc(&losses, N * sizeof(double));
    cudaMalloc(&g, (size_t)N * V * sizeof(double));
    rows<<<(N + 255) / 256, 256>>>(X, W, labels, losses, g, dX, N, D, V);
    classes<<<(V + 255) / 256, 256>>>(X, losses, g, loss, dW, N, D, V);
    cudaFree(losses);
    cudaFree(g);
}
