// warpjudge: gelu-backward
// One thread does everything, in double.
__global__ void
serial(const float *input, const float *grad_output, float *grad_input, int N)
{
    for (int i = 0; i < N; i++) {
        double x = input[i];
        double below = 0.5 * erfc(-x * 0.70710678118654752440);
        double density = exp(-0.5 * x * x) * 0.39894228040143267794;

        grad_input[i] = (float)(grad_output[i] * (below + x * density));
    }
}

extern "C" void
solve(const float *input, const float *grad_output, float *grad_input, int N)
{
    serial<<<1, 1>>>(input, grad_output, grad_input, N);
}
