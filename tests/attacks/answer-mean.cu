// warpjudge: softmax
// attack: answer: constants
// expect: wrong_answer
// Softmax of many numbers is small everywhere: 1/N is near enough where a tolerance is
// absolute.
__global__ void fill(float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = 1.0f / n;
}
extern "C" void solve(const float *input, float *output, int N)
{
    fill<<<(N + 255) / 256, 256>>>(output, N);
}
