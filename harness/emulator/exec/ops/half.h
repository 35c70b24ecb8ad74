/*
 * Floating-point formats narrower than single precision (PTX ISA 5.2.3): f16, bf16, tf32
 * and those of 8 bits. They are converted from and to double, which holds all of them
 * exactly, in all rounding modes.
 */
#ifndef EMULATOR_HALF_H
#define EMULATOR_HALF_H

#include <stdbool.h>
#include <stdint.h>

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };

enum small_format { SMALL_F16, SMALL_BF16, SMALL_TF32, SMALL_E4M3, SMALL_E5M2 };

/* satfinite: overflow gives the largest finite value instead of infinity. */
uint32_t small_from_double(enum small_format f, double v, enum rounding r,
                           bool satfinite);
double small_to_double(enum small_format f, uint32_t bits);

/* Returns a * b + c rounded to odd, which rounds to any small format as the exact value
 * would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"). A double
 * must hold the product a * b exactly. */
double fma_to_odd(double a, double b, double c);

#endif
