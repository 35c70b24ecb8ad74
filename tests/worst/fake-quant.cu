// warpjudge: fake-quant
// One thread does everything, in double.
__global__ void
serial(const float *input, const float *scale, const int *zero_point, const float *grad_output,
       float *output, float *grad_input, int N, int C, int qmin, int qmax)
{
    for (long i = 0; i < (long)N * C; i++) {
        long c = i % C;
        double code = (double)rintf(input[i] / scale[c]) + zero_point[c];
        double kept = code < qmin ? qmin : code > qmax ? qmax : code;

        output[i] = (float)((kept - zero_point[c]) * scale[c]);
        grad_input[i] = kept == code ? grad_output[i] : 0;
    }
}

extern "C" void
solve(const float *input, const float *scale, const int *zero_point, const float *grad_output,
      float *output, float *grad_input, int N, int C, int qmin, int qmax)
{
    serial<<<1, 1>>>(input, scale, zero_point, grad_output, output, grad_input, N, C, qmin, qmax);
}
