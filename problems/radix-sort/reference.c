/* Four passes, a byte each, from the lowest up; each keeps the order of equal bytes. */
#include <stdlib.h>
#include <string.h>

static void
pass(const unsigned *from, unsigned *to, size_t N, int shift)
{
    size_t begin[257] = {0};

    for (size_t i = 0; i < N; i++)
        begin[(from[i] >> shift & 255) + 1]++;
    for (int byte = 0; byte < 256; byte++)
        begin[byte + 1] += begin[byte];
    for (size_t i = 0; i < N; i++)
        to[begin[from[i] >> shift & 255]++] = from[i];
}

void
solve(const unsigned int *input, unsigned int *output, int N)
{
    unsigned *room = malloc((size_t)N * sizeof *room);

    if (!room)
        abort();
    pass(input, room, (size_t)N, 0);
    pass(room, output, (size_t)N, 8);
    pass(output, room, (size_t)N, 16);
    pass(room, output, (size_t)N, 24);
    free(room);
}
