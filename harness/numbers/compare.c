/*
 * Comparing on the host, a chunk at a time. Most chunks of a right answer are equal to
 * the last bit, which memcmp() sees at the speed of memory. Most others are within the
 * tolerance, which a vectorised loop sees. Only a chunk with a wrong element, a NaN or an
 * infinity is compared element by element.
 */
#include "numbers/compare.h"

#include "numbers/compare_fn.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#pragma GCC optimize("O3")

#define CHUNK_BYTES 16384

/* Are all elements certainly right? NaN and infinity are not. The arithmetic is that of
 * compare_value(), so that the two never disagree. */
static inline __attribute__((always_inline)) bool
all_close_f32_body(const struct compare_rule *rule, const float *restrict got,
                   const float *restrict want, unsigned count)
{
    const double atol = rule->atol, rtol = rule->rtol;
    unsigned doubtful = 0;

    for (unsigned i = 0; i < count; i++) {
        double w = fabs((double)want[i]);
        double d = fabs((double)got[i] - (double)want[i]);

        doubtful += !((d <= atol + rtol * w) & (w <= COMPARE_DOUBLE_MAX));
    }
    return doubtful == 0;
}

__attribute__((target("avx2"))) static bool
all_close_f32_avx2(const struct compare_rule *rule, const float *got, const float *want,
                   unsigned count)
{
    return all_close_f32_body(rule, got, want, count);
}

static bool
all_close_f32(const struct compare_rule *rule, const float *got, const float *want,
              unsigned count)
{
    if (__builtin_cpu_supports("avx2"))
        return all_close_f32_avx2(rule, got, want, count);
    return all_close_f32_body(rule, got, want, count);
}

static void
compare_chunk(const struct compare_rule *rule, const void *got, const void *want,
              unsigned count, uint64_t first, struct compare_result *out)
{
    if (rule->dtype == DTYPE_F32 && !rule->exact && rule->ulp == 0 &&
        all_close_f32(rule, got, want, count))
        return;
    for (unsigned i = 0; i < count; i++) {
        if (!compare_element(rule, got, want, i))
            compare_count(out, gen_read(rule->dtype, got, i),
                          gen_read(rule->dtype, want, i), first + i);
    }
}

void
compare_run(const struct compare_rule *rule, const void *got, const void *want,
            uint64_t count, struct compare_result *out)
{
    const size_t size = dtype_size((enum dtype)rule->dtype);
    const uint64_t chunk = CHUNK_BYTES / size;

    *out = compare_nothing();
    for (uint64_t first = 0; first < count; first += chunk) {
        uint64_t n = count - first < chunk ? count - first : chunk;
        const char *g = (const char *)got + first * size;
        const char *w = (const char *)want + first * size;

        /* Equal bits are right under every rule, also those of a NaN. */
        if (memcmp(g, w, n * size) != 0)
            compare_chunk(rule, g, w, (unsigned)n, first, out);
    }
}
