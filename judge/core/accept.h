/*
 * "accepts" of a problem.json: rules of `warpjudge problem check` from which a problem is
 * exempt, each with its author's reason. docs/problem-format.md lists them for people.
 */
#ifndef CORE_ACCEPT_H
#define CORE_ACCEPT_H

#include <stdbool.h>

/*    enumerator          key */
#define ACCEPTS(X)                                                                       \
    /* wrong answers that pass the tests or the benchmark's check */                     \
    X(ZEROS, "zeros")                                                                    \
    X(CONSTANT, "constant")                                                              \
    X(COPY, "copy")                                                                      \
    X(FP16, "fp16")                                                                      \
    X(FP32, "fp32")                                                                      \
    /* the same in the benchmark's check only, in the same order */                      \
    X(BENCHMARK_ZEROS, "benchmark_zeros")                                                \
    X(BENCHMARK_CONSTANT, "benchmark_constant")                                          \
    X(BENCHMARK_COPY, "benchmark_copy")                                                  \
    X(BENCHMARK_FP16, "benchmark_fp16")                                                  \
    X(BENCHMARK_FP32, "benchmark_fp32")                                                  \
    X(SIZES, "sizes")                     /* no tests of 1, 2, 3 or of an odd size */    \
    X(SHORT_BENCHMARK, "short_benchmark") /* less than 1 ms of work on an H200 */        \
    X(EMU_BENCHMARK, "emu_benchmark")     /* very small or very large on emu */          \
    X(SAMPLE, "sample") /* samples too large to be read and worked out */

enum accept {
#define X(name, key) ACCEPT_##name,
    ACCEPTS(X)
#undef X
        ACCEPT_COUNT
};

const char *accept_key(enum accept a);

/* Can it be said of single outputs? */
bool accept_of_outputs(enum accept a);

#endif
