/* The matrices are drawn already; the scales are near 1, shifts and biases near 0. */
static void
fill(struct draws *draws, float *part, int count, double lo, double hi)
{
    for (int i = 0; i < count; i++)
        part[i] = (float)draw_uniform(draws, lo, hi);
}

void
inputs(struct draws *draws, const char *variant, float *x, float *weights, int seq_len)
{
    (void)variant;
    (void)x;
    (void)seq_len;
    fill(draws, weights, 768, 0.8, 1.2);             /* gamma1 */
    fill(draws, weights + 768, 768, -0.1, 0.1);      /* beta1 */
    fill(draws, weights + 1771008, 2304, -0.1, 0.1); /* b_qkv */
    fill(draws, weights + 2363136, 768, -0.1, 0.1);  /* b_o */
    fill(draws, weights + 2363904, 768, 0.8, 1.2);   /* gamma2 */
    fill(draws, weights + 2364672, 768, -0.1, 0.1);  /* beta2 */
    fill(draws, weights + 4724736, 3072, -0.1, 0.1); /* b_fc */
    fill(draws, weights + 7087104, 768, -0.1, 0.1);  /* b_proj */
}
