/*
 * What a kernel's costs mean, in plain sentences. For the owner of an emulated GPU, who
 * has them from gpu_cost().
 */
#ifndef EMULATOR_GPU_ADVICE_H
#define EMULATOR_GPU_ADVICE_H

#include "../emulator.h"

#include <stddef.h>

/* What took longest of the kernel's time: its index in bound_ns. */
enum cost_bound advice_bound(const struct kernel_cost *k);

/* "FP32": for programs. "single precision arithmetic": for people. */
const char *advice_bound_name(enum cost_bound b);
const char *advice_bound_words(enum cost_bound b);

/* One sentence without a full stop on why a line costs what it does, "" if there is
 * nothing to say but that it is executed often. Cut to size. */
void advice_line(const struct kernel_cost *k, const struct line_cost *line, char *out,
                 size_t size);

/* The same of the kernel as a whole. */
void advice_kernel(const struct kernel_cost *k, char *out, size_t size);

#endif
