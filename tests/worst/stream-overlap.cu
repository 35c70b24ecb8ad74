// warpjudge: stream-overlap
// One copy in, one thread that adds all terms in double, one copy out.
__global__ void
serial(float *values, int N, int terms)
{
    for (int i = 0; i < N; i++) {
        double sum = 0;

        for (int k = 1; k <= terms; k++)
            sum += sin(k * (double)values[i]) / k;
        values[i] = (float)sum;
    }
}

extern "C" void
solve(const float *input, float *output, int N, int terms)
{
    float *values;

    cudaMalloc(&values, N * sizeof(float));
    cudaMemcpy(values, input, N * sizeof(float), cudaMemcpyHostToDevice);
    serial<<<1, 1>>>(values, N, terms);
    cudaMemcpy(output, values, N * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(values);
}
