/*
 * What a device can do at most: bytes a nanosecond and operations a nanosecond of each
 * unit. On a GPU memory and fp32 are measured by kernels of ours (cuda_rates.h) and the
 * other units follow from fp32 by the proportions of the architecture; on emu all are the
 * modelled device's figures (docs/model.md).
 */
#ifndef DEVICE_RATES_H
#define DEVICE_RATES_H

/* Operations a clock and multiprocessor; an FMA counts as two. 0: not known. */
struct unit_rates {
    double fp32, fp64, int32;
    double tensor; /* dense, f16 */
};

struct device_rates {
    char id[64];              /* the card's own (its UUID); "": nothing was measured */
    double copy_bytes_per_ns; /* read and written bytes of a long copy */
    double read_bytes_per_ns; /* of a long read */
    double peak_bytes_per_ns; /* what the memory's pins can carry; 0: not known */
    double fp32_per_ns;
    double cached_bytes; /* of outputs, as many may stay in a cache instead of memory */
    struct unit_rates units;
};

/* By compute capability; all 0 where it is not known. */
struct unit_rates unit_rates_of(int major, int minor);

/* The faster of copying and reading. */
double rates_bytes_per_ns(const struct device_rates *r);

/* unit: a problem's work.unit. The fastest way that the hardware has for that type,
 * tensor cores included, except for fp32 (tf32 is another type). 0: not known. */
double rates_flops_per_ns(const struct device_rates *r, const char *unit);

#endif
