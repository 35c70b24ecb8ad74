// warpjudge: softmax
// One block. Each thread finds the maximum and the sum of all for itself.
__global__ void
softmax(const float *input, float *output, int N)
{
    float top = input[0], sum = 0;

    for (int i = 0; i < N; i++)
        top = fmaxf(top, input[i]);
    for (int i = 0; i < N; i++)
        sum += expf(input[i] - top);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        output[i] = expf(input[i] - top) / sum;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    softmax<<<1, 128>>>(input, output, N);
}
