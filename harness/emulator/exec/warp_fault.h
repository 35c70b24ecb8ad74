/*
 * Faults and notices of a running warp (warp_fault.c). lane says which thread; in is the
 * instruction that it executes.
 */
#ifndef EMULATOR_WARP_FAULT_H
#define EMULATOR_WARP_FAULT_H

#include "fault.h"
#include "warp.h"

/* These fill the worker's fault and return NULL with w->stop = STOP_FAULT. */
const struct insn *fault_at(struct warp *w, const struct insn *in, unsigned lane,
                            enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
const struct insn *fault_access(struct warp *w, const struct insn *in, unsigned lane,
                                enum ptx_space space, uint64_t address, uint32_t bytes,
                                bool is_write);
const struct insn *fault_misaligned(struct warp *w, const struct insn *in, unsigned lane,
                                    enum ptx_space space, uint64_t address,
                                    uint32_t bytes, bool is_write);

/* A notice tells of what a GPU lets pass, and ends nothing. A worker keeps the first of
 * each kind and line. f: its kind and text; the place is added here. */
void notice_add(struct warp *w, const struct insn *in, unsigned lane,
                const struct fault *f);
void notice_uninitialized(struct warp *w, const struct insn *in, unsigned lane,
                          enum ptx_space space, uint64_t address, uint32_t bytes);
/* An access to shared memory that leaves the array from which its address is formed. */
void notice_out_of_array(struct warp *w, const struct insn *in, unsigned lane,
                         uint64_t address, uint32_t bytes, bool is_write);

#endif
