// warpjudge: ordinary-least-squares
// One thread: the normal equations, then elimination.
__global__ void
serial(const float *X, const float *y, float *beta, double *system, int n, int p)
{
    for (int a = 0; a < p; a++)
        for (int b = 0; b <= p; b++) {
            double sum = 0;

            for (int i = 0; i < n; i++)
                sum += (double)X[i * p + a] * (b < p ? X[i * p + b] : y[i]);
            system[a * (p + 1) + b] = sum;
        }
    for (int k = 0; k < p; k++)
        for (int a = 0; a < p; a++) {
            double factor = system[a * (p + 1) + k] / system[k * (p + 1) + k];

            for (int b = k; a != k && b <= p; b++)
                system[a * (p + 1) + b] -= factor * system[k * (p + 1) + b];
        }
    for (int a = 0; a < p; a++)
        beta[a] = system[a * (p + 1) + p] / system[a * (p + 1) + a];
}

extern "C" void
solve(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    double *system;

    cudaMalloc(&system, sizeof(double) * n_features * (n_features + 1));
    serial<<<1, 1>>>(X, y, beta, system, n_samples, n_features);
    cudaFree(system);
}
