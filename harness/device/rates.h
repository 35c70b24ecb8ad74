/*
 * What a device can do at most: bytes in a nanosecond, and operations in a nanosecond
 * of each unit. On a GPU kernels of ours measure memory and fp32 (cuda_rates.h). The
 * other units follow from fp32 by the architecture's proportions. On emu all are
 * figures of the modelled device (docs/model.md).
 */
#ifndef DEVICE_RATES_H
#define DEVICE_RATES_H

/* Operations in each clock of a multiprocessor; an FMA counts as two. 0: not known. */
struct unit_rates {
    double fp32, fp64, int32;
    double tensor; /* dense, f16 */
};

struct device_rates {
    char id[64];              /* the GPU's UUID; "": nothing was measured */
    double copy_bytes_per_ns; /* bytes read and written by a long copy */
    double read_bytes_per_ns; /* bytes read by a long read */
    double peak_bytes_per_ns; /* the most that the memory's pins carry; 0: not known */
    double fp32_per_ns;
    double cached_bytes; /* so many bytes of the outputs may stay in a cache instead of
                            memory */
    struct unit_rates units;
};

/* The rates for a compute capability; all 0 if it is not known. */
struct unit_rates unit_rates_of(int major, int minor);

/* The faster of copying and reading. */
double rates_bytes_per_ns(const struct device_rates *r);

/* unit is work.unit of a problem. The result is the fastest way that the hardware has
 * for that type, including tensor cores, except for fp32 (tf32 is another type). 0: not
 * known. */
double rates_flops_per_ns(const struct device_rates *r, const char *unit);

#endif
