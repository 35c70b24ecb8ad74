/*
 * Texels as results. In the read mode of normalized floats (CUDA C++ Programming Guide,
 * "Texture Object API") an integer of 8 or 16 bits becomes a fraction. An unsigned v is
 * v / (2^n - 1), and a signed one is max(v / (2^(n-1) - 1), -1).
 */
#include "../ops/half.h"
#include "fetch.h"

#include <math.h>
#include <string.h>

static uint32_t
bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float
float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

bool
texel_is_float(const struct texture_info *t)
{
    return t->format == TEXEL_FLOAT || (t->normalize && t->bits < 32);
}

static uint32_t
channel_bits(const struct texture_info *t, const uint8_t *from, unsigned channel)
{
    uint32_t wide;
    uint16_t narrow;

    if (t->bits == 8)
        return from[channel];
    if (t->bits == 16) {
        memcpy(&narrow, from + 2 * channel, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, from + 4 * channel, sizeof wide);
    return wide;
}

/* sRGB to linear (IEC 61966-2-1), as coarse as the hardware's table. */
static float
srgb_to_linear(uint32_t bits)
{
    static const uint16_t table[256] = {
#include "texture_srgb.def"
    };

    return float_of((uint32_t)table[bits] << 16);
}

static bool
is_srgb(const struct texture_info *t, unsigned channel)
{
    return t->srgb && t->bits == 8 && t->format == TEXEL_UNSIGNED && channel < 3;
}

/* A channel of a texel whose result is a float. */
static float
channel_float(const struct texture_info *t, const uint8_t *from, unsigned channel)
{
    uint32_t bits = channel_bits(t, from, channel);
    double top, v;

    if (t->format == TEXEL_FLOAT)
        return t->bits == 32 ? float_of(bits) : (float)small_to_double(SMALL_F16, bits);
    if (t->format == TEXEL_SIGNED) {
        top = (double)((1u << (t->bits - 1)) - 1);
        v = (t->bits == 8 ? (int8_t)bits : (int16_t)bits) / top;
        return (float)(v < -1 ? -1 : v);
    }
    if (is_srgb(t, channel))
        return srgb_to_linear(bits);
    v = bits / (double)((1u << t->bits) - 1);
    return (float)v;
}

void
texel_values(const struct texture_info *t, const uint8_t *from, float out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = c < t->channels ? channel_float(t, from, c) : 0;
}

/* Filters keep 16 bits of a fraction, and of sRGB and half precision a half. */
float
texel_filtered(const struct texture_info *t, unsigned channel, double v)
{
    double top = t->format == TEXEL_SIGNED ? 32767 : 65535;

    v = nextafter(v, v < 0 ? -HUGE_VAL : HUGE_VAL); /* ties away from zero */
    if (t->format == TEXEL_FLOAT && t->bits == 32)
        return (float)v;
    if (t->format == TEXEL_FLOAT || is_srgb(t, channel))
        return (float)small_to_double(
            SMALL_F16, small_from_double(SMALL_F16, v, ROUND_NEAREST, false));
    return (float)(floor(v * top + 0.5) / top);
}

/* A channel, extended by its sign or by zeros. */
static uint32_t
extend(const struct texture_info *t, uint32_t bits)
{
    unsigned unused = 32u - t->bits;

    if (t->format == TEXEL_SIGNED)
        return (uint32_t)((int32_t)(bits << unused) >> unused);
    return bits << unused >> unused;
}

void
texel_load(const struct texture_info *t, const uint8_t *from, uint32_t out[4])
{
    bool is_float = texel_is_float(t) && t->bits < 32; /* else bits are the result's */

    for (unsigned c = 0; c < t->channels; c++)
        out[c] = is_float ? bits_of(channel_float(t, from, c))
                          : extend(t, channel_bits(t, from, c));
    for (unsigned c = t->channels; c < 4; c++)
        out[c] = 0;
}

/* The border as the format of the texels holds it, which an H200 was seen to return. */
void
texel_border(const struct texture_info *t, float out[4], uint32_t bits[4])
{
    for (unsigned c = 0; c < 4; c++) {
        double top = (double)((1u << (t->bits - 1) << (t->format != TEXEL_SIGNED)) - 1);

        out[c] = c < t->channels ? t->border[c] : 0;
        if (t->format != TEXEL_FLOAT && t->bits < 32)
            out[c] = (float)(trunc((double)out[c] * top) / top);
        bits[c] = texel_is_float(t) ? bits_of(out[c])
                  : c < t->channels ? extend(t, bits_of(t->border[c]))
                                    : 0;
    }
}

void
texel_store(const struct texture_info *t, const uint32_t from[4], uint8_t *to)
{
    for (unsigned c = 0; c < t->channels; c++) {
        uint32_t bits = from[c];

        /* sust.p of floats converts, integers saturate (PTX ISA 9.7.11.2). */
        if (t->format == TEXEL_FLOAT && t->bits == 16)
            bits = small_from_double(SMALL_F16, (double)float_of(bits), ROUND_NEAREST,
                                     false);
        else if (t->format == TEXEL_UNSIGNED && t->bits < 32)
            bits = bits >> t->bits != 0 ? (1u << t->bits) - 1 : bits;
        else if (t->format == TEXEL_SIGNED && t->bits < 32) {
            int32_t top = (1 << (t->bits - 1)) - 1, v = (int32_t)bits;

            bits = (uint32_t)(v > top ? top : v < -top - 1 ? -top - 1 : v);
        }
        memcpy(to + c * t->bits / 8, &bits, t->bits / 8);
    }
}
