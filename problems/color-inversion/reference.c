/* 255 - b for the first three bytes of each pixel. */
void
solve(unsigned char *image, int width, int height)
{
    for (long p = 0; p < (long)width * height; p++)
        for (int c = 0; c < 3; c++)
            image[4 * p + c] = (unsigned char)(255 - image[4 * p + c]);
}
