// warpjudge: lora-linear
// expect: wrong_answer
// The low-rank values of a row stand in 32 places: a higher rank is cut off.
__global__ void linear(const float *x, const float *W, const float *A, const float *B, float *output, int d_in,
                       int d_out, int rank, float scale)
{
    __shared__ float low[32];
    const float *row = x + (size_t)blockIdx.x * d_in;

    if (threadIdx.x < 32) {
        float sum = 0;

        for (int k = 0; threadIdx.x < rank && k < d_in; k++)
            sum += row[k] * A[threadIdx.x * d_in + k];
        low[threadIdx.x] = sum;
    }
    __syncthreads();
    for (int o = threadIdx.x; o < d_out; o += blockDim.x) {
        float sum = 0, more = 0;

        for (int k = 0; k < d_in; k++)
            sum += row[k] * W[o * d_in + k];
        for (int r = 0; r < rank && r < 32; r++)
            more += low[r] * B[o * rank + r];
        output[(size_t)blockIdx.x * d_out + o] = sum + scale * more;
    }
}

extern "C" void
solve(const float *x, const float *W, const float *A, const float *B, float *output, int batch, int d_in, int d_out,
      int rank, float lora_scale)
{
    linear<<<batch, 128>>>(x, W, A, B, output, d_in, d_out, rank, lora_scale);
}
