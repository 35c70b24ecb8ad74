/*
 * A program made from the problem's inputs.c or checker.c. It is trusted as the reference
 * is, and runs as the reference does: in a sandbox of its own, on buffers in host memory.
 */
#ifndef ARBITER_JUDGING_AUTHOR_H
#define ARBITER_JUDGING_AUTHOR_H

#include "base/report.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

struct author;

struct author_options {
    const char *runner_program; /* path of warpjudge-runner */
    const char *object;         /* path of what was compiled */
    const char *name;           /* "inputs.c", for messages */
    const char *slug;           /* of the problem */
    bool insecure;
};

/* Starts the program. *o and its strings are copied. */
int author_open(const struct author_options *o, struct author **out, struct report *r);
void author_close(struct author *a);

/* The device on which the program's buffers must be allocated, as shareable ones. */
struct device *author_device(const struct author *a);

/* One argument of a call. */
struct author_arg {
    struct device_buffer *buffer; /* NULL: the value is passed */
    uint64_t value;
};

/* Calls the program's function. Returns 1 if the program crashed on what it was given,
 * exited or did not end, which the report says. The next call then has a fresh process.
 * Returns -1 for every other failure, abort() among them. */
int author_call(struct author *a, const struct author_arg *arg, int count,
                struct report *r);

#endif
