/* The matrices are drawn already; the scales of the norms are near 1. */
#define WIDTH 512
#define NORM2 655872

void
inputs(struct draws *draws, const char *variant, float *x, float *weights, float *cos,
       float *sin, int seq_len)
{
    (void)variant;
    (void)x;
    (void)cos;
    (void)sin;
    (void)seq_len;
    for (int i = 0; i < WIDTH; i++) {
        weights[i] = (float)draw_uniform(draws, 0.8, 1.2);
        weights[NORM2 + i] = (float)draw_uniform(draws, 0.8, 1.2);
    }
}
