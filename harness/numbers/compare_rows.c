#include "numbers/compare_rows.h"

#include "base/buf.h"
#include "numbers/gen_fn.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Equal keys mean equal values. A key is the value's bits, but both zeros have one key,
 * and so have all NaN. */
static uint64_t
key_of(enum dtype type, const void *values, uint64_t index)
{
    const size_t size = dtype_size(type);
    uint64_t bits = 0;
    double v;

    memcpy(&bits, (const char *)values + index * size, size);
    if (dtype_class(type) != CLASS_FLOAT)
        return bits;
    v = gen_read((uint8_t)type, values, index);
    if (v != v)
        return UINT64_MAX;
    return v == 0 ? 0 : bits;
}

static int
by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void
sort_row(enum dtype type, const void *values, uint64_t first, uint64_t columns,
         uint64_t *keys)
{
    for (uint64_t i = 0; i < columns; i++)
        keys[i] = key_of(type, values, first + i);
    qsort(keys, columns, sizeof *keys, by_key);
}

/* A key that is more often in `want` than in `got`. Both rows are sorted and differ. */
static uint64_t
find_missing(const uint64_t *got, const uint64_t *want, uint64_t columns)
{
    uint64_t g = 0;

    for (uint64_t w = 0; w < columns; w++) {
        while (g < columns && got[g] < want[w])
            g++;
        if (g == columns || got[g] != want[w])
            return want[w];
        g++;
    }
    return want[0]; /* never reached: rows of one length that differ lack a key */
}

void
compare_rows(enum dtype type, const void *got, const void *want, uint64_t rows,
             uint64_t columns, struct compare_rows_result *out)
{
    const size_t bytes = columns * dtype_size(type);
    uint64_t *g = xmalloc(columns * sizeof *g), *w = xmalloc(columns * sizeof *w);

    *out = (struct compare_rows_result){.first = UINT64_MAX};
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t first = row * columns;
        uint64_t missing;

        if (memcmp((const char *)got + row * bytes, (const char *)want + row * bytes,
                   bytes) == 0)
            continue;
        sort_row(type, got, first, columns, g);
        sort_row(type, want, first, columns, w);
        if (memcmp(g, w, columns * sizeof *g) == 0 || out->wrong++ > 0)
            continue;
        out->first = row;
        missing = find_missing(g, w, columns);
        out->missing = first;
        while (key_of(type, want, out->missing) != missing)
            out->missing++;
    }
    free(g);
    free(w);
}
