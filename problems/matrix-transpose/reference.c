/* A copy; in tiles, so that the strided side stays in the cache. */
#define TILE 32

void
solve(const float *input, float *output, int rows, int cols)
{
    for (long i0 = 0; i0 < rows; i0 += TILE)
        for (long j0 = 0; j0 < cols; j0 += TILE)
            for (long i = i0; i < rows && i < i0 + TILE; i++)
                for (long j = j0; j < cols && j < j0 + TILE; j++)
                    output[j * rows + i] = input[i * cols + j];
}
