/* With the float weights, summed in double, rounded once. */
void
solve(const float *input, float *output, int width, int height)
{
    const double red = 0.299f, green = 0.587f, blue = 0.114f;

    for (long p = 0; p < (long)width * height; p++)
        output[p] = (float)(red * input[3 * p] + green * input[3 * p + 1] +
                            blue * input[3 * p + 2]);
}
