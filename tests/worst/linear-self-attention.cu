// warpjudge: linear-self-attention
// One thread does everything, in double.
#define WIDTH_MAX 128

__device__ double S[WIDTH_MAX][WIDTH_MAX], z[WIDTH_MAX];

__device__ double
feature(double x)
{
    return x > 0 ? x + 1 : exp(x);
}

__global__ void
serial(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
    for (int a = 0; a < d; a++) {
        z[a] = 0;
        for (int b = 0; b < d; b++)
            S[a][b] = 0;
    }
    for (long j = 0; j < M; j++) {
        for (int a = 0; a < d; a++) {
            double key = feature(K[j * d + a]);

            z[a] += key;
            for (int b = 0; b < d; b++)
                S[a][b] += key * V[j * d + b];
        }
    }
    for (long i = 0; i < M; i++) {
        double above[WIDTH_MAX] = {0}, below = 0;

        for (int a = 0; a < d; a++) {
            double query = feature(Q[i * d + a]);

            below += query * z[a];
            for (int b = 0; b < d; b++)
                above[b] += query * S[a][b];
        }
        for (int b = 0; b < d; b++)
            output[i * d + b] = (float)(above[b] / below);
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
    serial<<<1, 1>>>(Q, K, V, output, M, d);
}
