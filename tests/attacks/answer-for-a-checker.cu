// warpjudge: top-p-sampling
// attack: answer: outputs that make the checker fail
// expect: wrong_answer
// says: is no token
// An index far outside of every buffer, for a checker.c that uses it before it looks.
__global__ void far(int *token)
{
    *token = 0x7FFFFFF0;
}
extern "C" void solve(const float *logits, const float *p, const int *seed, int *sampled_token,
                      int vocab_size)
{
    far<<<1, 1>>>(sampled_token);
}
