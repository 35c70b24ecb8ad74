/* The derivative of x Phi(x) in double, rounded once. */
__global__ static void
gelu_backward(const float *input, const float *grad_output, float *grad_input, int N)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < N) {
        double x = input[i];
        double below = 0.5 * erfc(-x * 0.70710678118654752440);
        double density = exp(-0.5 * x * x) * 0.39894228040143267794;

        grad_input[i] = (float)(grad_output[i] * (below + x * density));
    }
}

extern "C" void
solve(const float *input, const float *grad_output, float *grad_input, int N)
{
    gelu_backward<<<(N + 255) / 256, 256>>>(input, grad_output, grad_input, N);
}
