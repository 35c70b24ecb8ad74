/* The forward pass, in double: O is rounded to half precision, LSE to a float. */
void
inputs(struct draws *draws, const char *variant, __half *Q, __half *K, __half *V,
       __half *O, float *LSE, __half *dO, int B, int H, int S, int D)
{
    double *score = malloc((size_t)S * sizeof *score);

    (void)draws;
    (void)variant;
    (void)dO;
    if (!score)
        abort();
    for (long row = 0; row < (long)B * H * S; row++) {
        const long head = row - row % S, keys = row % S + 1;
        double top = -INFINITY, sum = 0;

        for (long j = 0; j < keys; j++) {
            score[j] = 0;
            for (int d = 0; d < D; d++)
                score[j] += (double)Q[row * D + d] * (double)K[(head + j) * D + d];
            score[j] /= sqrt(D);
            top = fmax(top, score[j]);
        }
        for (long j = 0; j < keys; j++)
            sum += exp(score[j] - top);
        LSE[row] = (float)(top + log(sum));
        for (int d = 0; d < D; d++) {
            double mixed = 0;

            for (long j = 0; j < keys; j++)
                mixed += exp(score[j] - top) * (double)V[(head + j) * D + d];
            O[row * D + d] = (__half)(mixed / sum);
        }
    }
    free(score);
}
