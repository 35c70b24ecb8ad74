// warpjudge: fake-quant
// expect: wrong_answer
// roundf: halves go away from zero, not to the even number.
__global__ void quantize(const float *input, const float *scale, const int *zero_point, const float *grad_output,
                         float *output, float *grad_input, int N, int C, int qmin, int qmax)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;

    if (i >= (long)N * C)
        return;
    int c = i % C;
    float code = roundf(input[i] / scale[c]) + zero_point[c], kept = fminf(fmaxf(code, qmin), qmax);

    output[i] = (kept - zero_point[c]) * scale[c];
    grad_input[i] = kept == code ? grad_output[i] : 0;
}

extern "C" void
solve(const float *input, const float *scale, const int *zero_point, const float *grad_output, float *output,
      float *grad_input, int N, int C, int qmin, int qmax)
{
    quantize<<<(unsigned)(((long)N * C + 255) / 256), 256>>>(input, scale, zero_point, grad_output, output, grad_input,
                                                             N, C, qmin, qmax);
}
