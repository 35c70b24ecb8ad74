// warpjudge: lora-linear
// One thread does everything, in double.
#define RANK_MAX 256

__device__ double
dot(const float *a, const float *b, long count)
{
    double sum = 0;

    for (long k = 0; k < count; k++)
        sum += (double)a[k] * b[k];
    return sum;
}

__global__ void
serial(const float *x, const float *W, const float *A, const float *B, float *output, int batch,
       int d_in, int d_out, int rank, float lora_scale)
{
    double t[RANK_MAX];

    for (long b = 0; b < batch; b++) {
        for (long r = 0; r < rank; r++)
            t[r] = dot(x + b * d_in, A + r * d_in, d_in);
        for (long o = 0; o < d_out; o++) {
            double low = 0;

            for (long r = 0; r < rank; r++)
                low += t[r] * B[o * rank + r];
            output[b * d_out + o] =
                (float)(dot(x + b * d_in, W + o * d_in, d_in) + lora_scale * low);
        }
    }
}

extern "C" void
solve(const float *x, const float *W, const float *A, const float *B, float *output, int batch,
      int d_in, int d_out, int rank, float lora_scale)
{
    serial<<<1, 1>>>(x, W, A, B, output, batch, d_in, d_out, rank, lora_scale);
}
