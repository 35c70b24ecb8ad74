// warpjudge: reduction
// attack: answer: constants
// expect: wrong_answer
// The sum of uniform numbers is known before they are drawn: N times the mean of the first
// thousand.
__global__ void guess(const float *in, float *out, int n)
{
    const int few = n < 1000 ? n : 1000;
    float sum = 0;
    for (int i = 0; i < few; i++)
        sum += in[i];
    *out = sum / few * n;
}
extern "C" void solve(const float *input, float *output, int N)
{
    guess<<<1, 1>>>(input, output, N);
}
