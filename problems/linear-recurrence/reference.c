/* Step by step in double; each state is rounded once, not what is carried on. */
void
solve(const float *a, const float *x, float *h, int B, int L)
{
    for (long b = 0; b < B; b++) {
        double state = 0;

        for (long t = 0; t < L; t++) {
            state = (t ? a[b * L + t] : 0) * state + x[b * L + t];
            h[b * L + t] = (float)state;
        }
    }
}
