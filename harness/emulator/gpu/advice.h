/*
 * Puts a kernel's costs into plain sentences, for the owner of an emulated GPU, who
 * gets the costs from gpu_cost().
 */
#ifndef EMULATOR_GPU_ADVICE_H
#define EMULATOR_GPU_ADVICE_H

#include "../emulator.h"

/* The index in bound_ns of what took most of the kernel's time. */
enum cost_bound advice_bound(const struct kernel_cost *k);

/* The name for programs is like "FP32", the words for people like "single precision
 * arithmetic". */
const char *advice_bound_name(enum cost_bound b);
const char *advice_bound_words(enum cost_bound b);

#define ADVICE_BYTES 256

/* What a sentence is about, by the name that `warpjudge explain` has. */
/* clang-format off */
#define ADVICE_TOPICS(X)                                                                 \
    X(LATENCY,       "latency")                                                          \
    X(OCCUPANCY,     "occupancy")                                                        \
    X(COALESCING,    "coalescing")                                                       \
    X(BANKS,         "bank-conflicts")                                                   \
    X(DIVERGENCE,    "divergence")                                                       \
    X(BANDWIDTH,     "bandwidth")                                                        \
    X(ATOMICS,       "atomics")                                                          \
    X(ARITHMETIC,    "arithmetic")                                                       \
    X(LAUNCHES,      "launches")
/* clang-format on */
enum advice_topic {
#define X(id, name) ADVICE_##id,
    ADVICE_TOPICS(X)
#undef X
};

struct advice {
    enum advice_topic topic;
    char text[ADVICE_BYTES]; /* one sentence without a full stop */
};

const char *advice_topic_name(enum advice_topic topic);

/* Says why a line costs so much. */
void advice_line(const struct kernel_cost *k, const struct line_cost *line,
                 struct advice *out);

/* Says what bounds the whole kernel. */
void advice_kernel(const struct kernel_cost *k, struct advice *out);

#endif
