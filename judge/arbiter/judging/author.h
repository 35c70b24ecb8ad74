/*
 * A program of the problem's author, made from inputs.c or checker.c: trusted like the
 * reference, and like it in a sandbox of its own, on buffers in host memory.
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
    const char *slug;           /* whose */
    bool insecure;
};

/* o is copied, strings and all. */
int author_open(const struct author_options *o, struct author **out, struct report *r);
void author_close(struct author *a);

/* Where its buffers live: allocate shareable ones here. */
struct device *author_device(const struct author *a);

/* One call. buffer NULL: the value is passed. 1: it crashed on what it was given, exited
 * or did not end, which the report says; the next call has a fresh process. -1: all else,
 * abort() among it. */
struct author_arg {
    struct device_buffer *buffer;
    uint64_t value;
};
int author_call(struct author *a, const struct author_arg *arg, int count,
                struct report *r);

#endif
