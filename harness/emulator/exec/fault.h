/*
 * The text of a fault (fault.c). These functions know nothing of machines and kernels;
 * faults of a running warp are warp_fault.h's.
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

/* "global", "shared", ... as struct fault has it. */
const char *fault_space_name(enum ptx_space space);

/* The access that failed: bytes at an address (of shared and local memory: an offset). */
void fault_fill_access(struct fault *f, enum ptx_space space, uint64_t address,
                       uint32_t bytes, bool is_write);

#endif
