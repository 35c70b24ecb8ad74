/* From the last step down, in double; each advantage is rounded once. */
void
solve(const float *rewards, const float *values, float *advantages, float gamma,
      float lam, int B, int S)
{
    for (long b = 0; b < B; b++) {
        double advantage = 0, next = 0;

        for (long i = (b + 1) * S - 1; i >= b * S; i--) {
            advantage =
                rewards[i] + gamma * next - values[i] + (double)gamma * lam * advantage;
            next = values[i];
            advantages[i] = (float)advantage;
        }
    }
}
