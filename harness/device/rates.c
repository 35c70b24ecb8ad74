#include "device/rates.h"

#include <stddef.h>
#include <string.h>

/* Operations in each clock of a multiprocessor, from the CUDA C++ Programming Guide,
 * table "Throughput of Native Arithmetic Instructions". An FMA counts as two. For
 * int32, IADD3 does two additions in one instruction. fp64 includes tensor cores that
 * can do it (8.0, 9.0). tensor is from the architectures' whitepapers: dense f16 with
 * f16 sums. */
struct unit_rates
unit_rates_of(int major, int minor)
{
    static const struct {
        int major, minor;
        struct unit_rates rates;
    } table[] = {
        {7, 5, {.fp32 = 128, .fp64 = 4, .int32 = 128, .tensor = 1024}},
        {8, 0, {.fp32 = 128, .fp64 = 128, .int32 = 128, .tensor = 2048}},
        {8, 6, {.fp32 = 256, .fp64 = 4, .int32 = 128, .tensor = 1024}},
        {8, 9, {.fp32 = 256, .fp64 = 4, .int32 = 128, .tensor = 1024}},
        {9, 0, {.fp32 = 256, .fp64 = 256, .int32 = 128, .tensor = 4096}},
        {10, 0, {.fp32 = 256, .fp64 = 128, .int32 = 256, .tensor = 8192}},
        {12, 0, {.fp32 = 256, .fp64 = 4, .int32 = 256, .tensor = 1024}},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].major == major && table[i].minor == minor)
            return table[i].rates;
    return (struct unit_rates){0};
}

double
rates_bytes_per_ns(const struct device_rates *r)
{
    return r->copy_bytes_per_ns > r->read_bytes_per_ns ? r->copy_bytes_per_ns
                                                       : r->read_bytes_per_ns;
}

static double
per_clock(const struct unit_rates *u, const char *unit)
{
    static const struct {
        const char *unit;
        double of_tensor; /* the part of dense f16 that the unit reaches */
    } tensor[] = {
        {"tf32", 0.5}, {"fp16", 1}, {"bf16", 1}, {"fp8", 2},
        {"int8", 2},   {"fp4", 4},  {"int4", 4},
    };

    if (strcmp(unit, "fp32") == 0)
        return u->fp32;
    if (strcmp(unit, "fp64") == 0)
        return u->fp64;
    if (strcmp(unit, "int32") == 0)
        return u->int32;
    for (size_t i = 0; i < sizeof tensor / sizeof *tensor; i++)
        if (strcmp(unit, tensor[i].unit) == 0)
            return u->tensor * tensor[i].of_tensor;
    return 0;
}

double
rates_flops_per_ns(const struct device_rates *r, const char *unit)
{
    if (unit == NULL)
        return 0;
    if (strcmp(unit, "fp32") == 0)
        return r->fp32_per_ns;
    return r->units.fp32 > 0 ? r->fp32_per_ns * per_clock(&r->units, unit) / r->units.fp32
                             : 0;
}
