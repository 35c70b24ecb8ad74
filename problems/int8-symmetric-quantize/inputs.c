/* Quotients near a half could be rounded either way by a product with the reciprocal:
 * such elements become 0. */
void
inputs(struct draws *draws, const char *variant, float *input, int N)
{
    double largest = 0;

    (void)draws;
    (void)variant;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, fabs((double)input[i]));
    for (int i = 0; i < N; i++) {
        double quotient = input[i] / largest * 127;

        if (fabs(quotient - floor(quotient) - 0.5) < 1e-3)
            input[i] = 0;
    }
}
