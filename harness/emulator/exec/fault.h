/*
 * The text of a fault, a sentence for people (fault.c). These functions know nothing of
 * machines and kernels; warp_fault.h has the faults of a running warp.
 */
#ifndef EMULATOR_FAULT_H
#define EMULATOR_FAULT_H

#include "../emulator.h"
#include "../ptx/ptx.h"

/* Empties the fault, then gives it this kind and text. */
void fault_text(struct fault *f, enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "kernel K, block (..), thread (..): " before and " (file:line)" after the text. */
void fault_complete(struct fault *f);

/* The name that struct fault has for a space: "global", "shared", ... */
const char *fault_space_name(enum ptx_space space);

/* Describes the access that failed. In shared and local memory the address is an offset.
 */
void fault_fill_access(struct fault *f, enum ptx_space space, uint64_t address,
                       uint32_t bytes, bool is_write);

#endif
