/* A ratio near a threshold could get either code by a product with the reciprocal: such
 * elements become 0. */
static const double threshold[15] = {
    -0.8480964004993439,   -0.6106329262256622,  -0.4599952697753906,
    -0.33967943489551544,  -0.23460740596055984, -0.13791173323988914,
    -0.045525018125772476, 0.03979014977812767,  0.1202552504837513,
    0.2035212516784668,    0.2920137718319893,   0.3893125355243683,
    0.5016634166240692,    0.6427869200706482,   0.8614784181118011,
};

void
inputs(struct draws *draws, const char *variant, float *input, int N)
{
    (void)draws;
    (void)variant;
    for (int first = 0; first < N; first += 64) {
        int end = N - first < 64 ? N : first + 64;
        double largest = 0;

        for (int i = first; i < end; i++)
            largest = fmax(largest, fabs((double)input[i]));
        for (int i = first; i < end; i++)
            for (int t = 0; t < 15; t++)
                if (fabs(input[i] / largest - threshold[t]) < 1e-5)
                    input[i] = 0;
    }
}
