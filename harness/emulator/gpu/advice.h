/*
 * Puts a kernel's costs into plain sentences, for the owner of an emulated GPU, who
 * gets the costs from gpu_cost().
 */
#ifndef EMULATOR_GPU_ADVICE_H
#define EMULATOR_GPU_ADVICE_H

#include "../emulator.h"

#include <stddef.h>

/* The index in bound_ns of what took most of the kernel's time. */
enum cost_bound advice_bound(const struct kernel_cost *k);

/* The name for programs is like "FP32", the words for people like "single precision
 * arithmetic". */
const char *advice_bound_name(enum cost_bound b);
const char *advice_bound_words(enum cost_bound b);

/* Writes one sentence without a full stop on why a line costs so much, cut to size. It
 * is "" if the line is only executed often. */
void advice_line(const struct kernel_cost *k, const struct line_cost *line, char *out,
                 size_t size);

/* The same for the whole kernel. */
void advice_kernel(const struct kernel_cost *k, char *out, size_t size);

#endif
