/* FNV-1a over the four bytes of a word, lowest first, again and again. */
static unsigned
fnv1a(unsigned word)
{
    unsigned hash = 2166136261u;

    for (int shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (word >> shift & 255)) * 16777619u;
    return hash;
}

void
solve(const int *input, unsigned int *output, int N, int R)
{
    for (int i = 0; i < N; i++) {
        unsigned hash = (unsigned)input[i];

        for (int round = 0; round < R; round++)
            hash = fnv1a(hash);
        output[i] = hash;
    }
}
