#include "half.h"

#include <math.h>
#include <string.h>

static const struct {
    int exponent_bits, mantissa_bits;
    bool has_infinity;
    uint32_t nan;
} formats[] = {
    [SMALL_F16] = {5, 10, true, 0x7fff},   [SMALL_BF16] = {8, 7, true, 0x7fff},
    [SMALL_TF32] = {8, 10, true, 0x3ffff}, [SMALL_E4M3] = {4, 3, false, 0x7f},
    [SMALL_E5M2] = {5, 2, true, 0x7f},
};

/* Should the fraction left over make the magnitude one larger? */
static bool
rounds_up(double magnitude, double fraction, bool negative, enum rounding r)
{
    switch (r) {
    case ROUND_NEAREST:
        return fraction > 0.5 || (fraction == 0.5 && fmod(magnitude, 2.0) != 0);
    case ROUND_AWAY:
        return fraction >= 0.5;
    case ROUND_UP:
        return fraction > 0 && !negative;
    case ROUND_DOWN:
        return fraction > 0 && negative;
    case ROUND_ZERO:
        break;
    }
    return false;
}

uint32_t
small_from_double(enum small_format f, double v, enum rounding r, bool satfinite)
{
    int man = formats[f].mantissa_bits, exp_bits = formats[f].exponent_bits;
    int bias = (1 << (exp_bits - 1)) - 1, lowest = 1 - bias, exponent;
    uint32_t sign = signbit(v) ? 1u << (man + exp_bits) : 0, bits;
    uint32_t infinity = ((1u << exp_bits) - 1) << man;
    /* e4m3 has no infinity; its all-ones is the only NaN. */
    uint32_t largest = formats[f].has_infinity ? infinity - 1 : 0x7e;
    double a = fabs(v), scaled, whole;

    if (isnan(v))
        return formats[f].nan;
    if (isinf(v))
        return sign | (formats[f].has_infinity && !satfinite ? infinity
                       : satfinite                           ? largest
                                                             : formats[f].nan);
    if (a == 0)
        return sign;
    frexp(a, &exponent);
    exponent = exponent - 1 > lowest ? exponent - 1 : lowest;
    scaled = ldexp(a, man - exponent);
    whole = floor(scaled);
    if (rounds_up(whole, scaled - whole, sign != 0, r))
        whole += 1;
    if (exponent > bias + 1)
        bits = largest + 1;
    else
        bits = ((uint32_t)(exponent - lowest) << man) + (uint32_t)whole;
    if (bits <= largest)
        return sign | bits;
    if (satfinite || r == ROUND_ZERO || (r == ROUND_UP && sign != 0) ||
        (r == ROUND_DOWN && sign == 0))
        return sign | largest;
    return formats[f].has_infinity ? sign | infinity : sign | formats[f].nan;
}

double
small_to_double(enum small_format f, uint32_t bits)
{
    int man = formats[f].mantissa_bits, exp_bits = formats[f].exponent_bits;
    int bias = (1 << (exp_bits - 1)) - 1;
    uint32_t exponent = bits >> man & ((1u << exp_bits) - 1);
    uint32_t mantissa = bits & ((1u << man) - 1);
    bool negative = (bits >> (man + exp_bits) & 1) != 0;
    double v;

    if (formats[f].has_infinity && exponent == (1u << exp_bits) - 1)
        v = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (!formats[f].has_infinity && (bits & 0x7f) == 0x7f)
        v = (double)NAN;
    else if (exponent == 0)
        v = ldexp((double)mantissa, 1 - bias - man);
    else
        v = ldexp((double)(mantissa | 1u << man), (int)exponent - bias - man);
    return negative ? -v : v;
}

double
fma_to_odd(double a, double b, double c)
{
    double product = a * b, sum = product + c, rest, t;
    uint64_t bits;

    if (isnan(sum) || isinf(sum))
        return sum;
    /* TwoSum: product + c = sum + rest exactly. */
    t = sum - product;
    rest = (product - (sum - t)) + (c - t);
    if (rest == 0)
        return sum;
    memcpy(&bits, &sum, sizeof bits);
    if ((bits & 1) == 0) {
        /* Towards the rest by one unit: the odd neighbour. */
        if ((rest > 0) == (sum > 0))
            bits += 1;
        else
            bits -= 1;
    }
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}
