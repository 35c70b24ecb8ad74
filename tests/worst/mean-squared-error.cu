// warpjudge: mean-squared-error
// One thread does everything.
__global__ void
serial(const float *predictions, const float *targets, float *mse, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++) {
        float difference = predictions[i] - targets[i];

        sum += difference * difference;
    }
    *mse = sum / N;
}

extern "C" void
solve(const float *predictions, const float *targets, float *mse, int N)
{
    serial<<<1, 1>>>(predictions, targets, mse, N);
}
