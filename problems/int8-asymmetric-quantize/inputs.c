/* Quotients near a half could be rounded either way by a product with the reciprocal:
 * such elements become 0. Where the smallest element itself is the one, so that the zero
 * point hangs on it, it is moved. */
static int
is_near_half(double quotient)
{
    return fabs(quotient - floor(quotient) - 0.5) < 1e-3;
}

void
inputs(struct draws *draws, const char *variant, float *input, int N)
{
    double low = 0, high = 0;
    int lowest = 0;

    (void)draws;
    (void)variant;
    for (int i = 0; i < N; i++) {
        if (input[i] < low) {
            low = input[i];
            lowest = i;
        }
        high = fmax(high, (double)input[i]);
    }
    /* A step further out: others then have quotients that are smaller, and are looked at
     * below. */
    while (is_near_half(low * 255 / (high - low))) {
        input[lowest] = (float)(low - 0.01 * (high - low));
        low = input[lowest];
    }
    for (int i = 0; i < N; i++)
        if (input[i] != (float)low && input[i] != (float)high &&
            is_near_half(input[i] * 255 / (high - low)))
            input[i] = 0;
}
