/* Quotients near a half could be rounded either way by a product with the reciprocal:
 * such elements become the multiple of the step below. */
void
inputs(struct draws *draws, const char *variant, float *input, float *scale,
       int *zero_point, float *grad_output, int N, int C, int qmin, int qmax)
{
    (void)draws;
    (void)variant;
    (void)zero_point;
    (void)grad_output;
    (void)qmin;
    (void)qmax;
    for (long i = 0; i < (long)N * C; i++) {
        double step = scale[i % C], steps = input[i] / step;

        if (fabs(steps - floor(steps) - 0.5) < 1e-3)
            input[i] = (float)(floor(steps) * step);
    }
}
