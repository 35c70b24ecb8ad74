/*
 * Faults and notices of a running warp (warp_fault.c). A fault ends the launch; a notice
 * tells of what a GPU lets pass. Of each function `lane` is the thread in the warp, and
 * `in` the instruction that it executes.
 */
#ifndef EMULATOR_WARP_FAULT_H
#define EMULATOR_WARP_FAULT_H

#include "fault.h"
#include "warp.h"

/* These fill the worker's fault, set w->stop to STOP_FAULT and return NULL. */
const struct insn *fault_at(struct warp *w, const struct insn *in, unsigned lane,
                            enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
const struct insn *fault_access(struct warp *w, const struct insn *in, unsigned lane,
                                enum ptx_space space, uint64_t address, uint32_t bytes,
                                bool is_write);
const struct insn *fault_misaligned(struct warp *w, const struct insn *in, unsigned lane,
                                    enum ptx_space space, uint64_t address,
                                    uint32_t bytes, bool is_write);

/* Adds a notice with the kind and text of f, and the place. A worker keeps the first
 * notice of each kind and line. */
void notice_add(struct warp *w, const struct insn *in, unsigned lane,
                const struct fault *f);
/* Do these bytes, of which none was written, look like a structure's padding? */
bool is_padding(struct warp *w, enum ptx_space space, uint64_t address, uint32_t bytes);
void notice_uninitialized(struct warp *w, const struct insn *in, unsigned lane,
                          enum ptx_space space, uint64_t address, uint32_t bytes);
/* An access to shared memory that leaves the array from which its address is formed. */
void notice_out_of_array(struct warp *w, const struct insn *in, unsigned lane,
                         uint64_t address, uint32_t bytes, bool is_write);

#endif
