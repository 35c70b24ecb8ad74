/*
 * How the tensor cores compute d = a * b + c for f16, bf16, tf32 and the 8-bit formats.
 * PTX leaves the order and the rounding of these sums open (9.7.15.5). This is what an
 * H200 does, found by comparing bits (docs/measurements/emulator.md).
 *
 * Along k, a group of 16 products (tf32: 8) is added to the accumulator at a time. A
 * group of sparse a has as many products of elements that are there. Products are exact.
 *
 * Each addend of a group, and the accumulator, is cut off towards zero FRACTION_BITS
 * below the largest exponent. Then they are added exactly. The sum is cut off to single
 * precision, or rounded to nearest where the accumulator is f16. The exponent of a
 * product is the sum of its factors' exponents, whether or not its significand reaches 2.
 *
 * Two kinds have no tensor core of their own on an H200. Factors of 8 bits become f16.
 * The lower halves of all registers are added up from 0, then the upper halves; the
 * accumulator is added at the end and rounded to nearest. The shape m8n8k4 of f16
 * is a chain of fused multiply-adds in single precision from 0, with the accumulator at
 * the end.
 */
#include "half.h"
#include "matrix.h"

#include <math.h>
#include <string.h>

enum { FRACTION_BITS = 25, NO_EXPONENT = -4096, OVERFLOWN = 512, MAX_COLUMNS = 32 };

/* The exponent of a finite number; subnormal ones of a format count as its smallest. */
static int
exponent_of(float v, int smallest)
{
    uint32_t bits;
    int e;

    memcpy(&bits, &v, sizeof bits);
    if ((bits & 0x7fffffff) == 0)
        return NO_EXPONENT;
    e = (int)(bits >> 23 & 0xff) - 127;
    return e > smallest ? e : smallest;
}

static double
power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Cuts a number off to single precision. */
static float
toward_zero(double v)
{
    float f = (float)v;
    uint32_t bits;

    if (isinf(f) || fabs((double)f) <= fabs(v))
        return f;
    memcpy(&bits, &f, sizeof bits);
    bits--;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float
to_f16(double v)
{
    return (float)small_to_double(SMALL_F16,
                                  small_from_double(SMALL_F16, v, ROUND_NEAREST, false));
}

/* --- groups -------------------------------------------------------------- */

/* The factors of one product of matrices with their exponents. */
struct factors {
    const struct matrix_sum *s;
    const float *a, *b;
    int ea[MATRIX_ELEMENTS], eb[MATRIX_ELEMENTS];
};

/* Adds the products of row i of a at the given places along k to a row of c. */
static void
add_group(const struct factors *f, uint32_t i, const uint32_t *places, uint32_t count,
          float *c)
{
    double scale[MAX_COLUMNS], sum[MAX_COLUMNS];
    int largest[MAX_COLUMNS];
    uint32_t n = f->s->n;
    const float *a = f->a + (size_t)i * f->s->k;
    const int *ea = f->ea + (size_t)i * f->s->k;

    for (uint32_t j = 0; j < n; j++)
        largest[j] = isfinite(c[j]) ? exponent_of(c[j], -126) : OVERFLOWN;
    for (uint32_t p = 0; p < count; p++) {
        const int *eb = f->eb + (size_t)places[p] * n;
        int own = ea[places[p]];

        for (uint32_t j = 0; j < n; j++)
            largest[j] = own + eb[j] > largest[j] ? own + eb[j] : largest[j];
    }
    for (uint32_t j = 0; j < n; j++) {
        /* -400: all are zero. */
        scale[j] = power_of_two(FRACTION_BITS - (largest[j] > -400 ? largest[j] : -400));
        sum[j] = largest[j] < OVERFLOWN ? (double)(int32_t)((double)c[j] * scale[j])
                                        : (double)c[j];
    }
    for (uint32_t p = 0; p < count; p++) {
        const float *b = f->b + (size_t)places[p] * n;
        double own = (double)a[places[p]];

        for (uint32_t j = 0; j < n; j++)
            sum[j] += (double)(int32_t)(own * (double)b[j] * scale[j]);
    }
    for (uint32_t j = 0; j < n; j++)
        c[j] = f->s->accumulator == PTX_f16 ? (float)(sum[j] / scale[j])
                                            : toward_zero(sum[j] / scale[j]);
}

static void
sum_groups(const struct factors *f, float *c)
{
    const struct matrix_sum *s = f->s;
    uint32_t places[MATRIX_ELEMENTS / 16];
    uint32_t length = (s->type == PTX_tf32 ? 8u : 16u) << (s->present != NULL);

    for (uint32_t x = 0; x < s->k; x++)
        places[x] = x;
    for (uint32_t i = 0; i < s->m; i++)
        for (uint32_t x = 0; x < s->k; x += length)
            add_group(f, i, places + x, s->k - x < length ? s->k - x : length,
                      c + (size_t)i * s->n);
}

static void
sum_eight_bits(const struct factors *f, float *c)
{
    const struct matrix_sum *s = f->s;
    uint32_t places[2][MATRIX_ELEMENTS / 16], count[2] = {0, 0};
    float sum[MAX_COLUMNS];

    for (uint32_t x = 0; x < s->k; x++) {
        uint32_t half = x >> (s->present != NULL ? 2 : 1) & 1;

        places[half][count[half]++] = x;
    }
    for (uint32_t i = 0; i < s->m; i++) {
        float *row = c + (size_t)i * s->n;

        memset(sum, 0, sizeof sum);
        for (int half = 0; half < 2; half++) {
            add_group(f, i, places[half], count[half], sum);
            for (uint32_t j = 0; s->accumulator == PTX_f16 && j < s->n; j++)
                sum[j] = to_f16((double)sum[j]);
        }
        for (uint32_t j = 0; j < s->n; j++)
            row[j] = sum[j] + row[j];
    }
}

static void
sum_chain(const struct factors *f, float *c)
{
    const struct matrix_sum *s = f->s;

    for (uint32_t i = 0; i < s->m; i++)
        for (uint32_t j = 0; j < s->n; j++) {
            float sum = 0, *d = &c[i * s->n + j];

            for (uint32_t x = 0; x < s->k; x++)
                sum = fmaf(f->a[i * s->k + x], f->b[x * s->n + j], sum);
            *d = s->accumulator == PTX_f16 ? to_f16((double)sum + (double)*d) : sum + *d;
        }
}

/* --- infinities and NaN -------------------------------------------------- */

/* Makes numbers without a finite value 0; were there any? */
static bool
remove_specials(float *v, uint32_t count)
{
    bool found = false;

    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(v[i])) {
            v[i] = 0;
            found = true;
        }
    return found;
}

/* Computes the elements that an infinity or a NaN reaches. d has the sums of all others.
 */
static void
add_specials(const struct matrix_sum *s, const float *a, const float *b, const float *c,
             float *d)
{
    for (uint32_t i = 0; i < s->m; i++)
        for (uint32_t j = 0; j < s->n; j++) {
            uint32_t at = i * s->n + j;
            double sum = isfinite(c[at]) ? 0 : (double)c[at];

            for (uint32_t x = 0; x < s->k; x++)
                if (s->present == NULL || s->present[i * s->k + x])
                    sum += (double)a[i * s->k + x] * (double)b[x * s->n + j];
            if (!isfinite(sum))
                d[at] = (float)sum; /* an overflow of finite addends does not count */
        }
}

/* Replaces each NaN by the canonical one. */
static void
unite_nans(float *v, uint32_t count)
{
    const uint32_t bits = 0x7fffffff;

    for (uint32_t i = 0; i < count; i++)
        if (isnan(v[i]))
            memcpy(&v[i], &bits, sizeof bits);
}

void
matrix_sum(const struct matrix_sum *s, float *a, float *b, float *c)
{
    float a0[MATRIX_ELEMENTS], b0[MATRIX_ELEMENTS], c0[MATRIX_ELEMENTS / 4];
    uint32_t na = s->m * s->k, nb = s->k * s->n, nc = s->m * s->n;
    struct factors f = {.s = s, .a = a, .b = b};
    int smallest = s->type == PTX_f16 ? -14 : -126;
    bool special;

    memcpy(a0, a, na * sizeof *a);
    memcpy(b0, b, nb * sizeof *b);
    memcpy(c0, c, nc * sizeof *c);
    special = remove_specials(a, na);
    special |= remove_specials(b, nb);
    special |= remove_specials(c, nc);
    for (uint32_t i = 0; i < na; i++)
        f.ea[i] = exponent_of(a[i], smallest);
    for (uint32_t i = 0; i < nb; i++)
        f.eb[i] = exponent_of(b[i], smallest);
    if (s->type == PTX_e4m3 || s->type == PTX_e5m2)
        sum_eight_bits(&f, c);
    else if (s->type == PTX_f16 && s->m == 8 && s->k == 4)
        sum_chain(&f, c);
    else
        sum_groups(&f, c);
    if (special)
        add_specials(s, a0, b0, c0, c);
    unite_nans(c, nc);
}
