/*
 * "accepts" of a problem.json: rules of `warpjudge problem check` from which a problem is
 * exempt, each with its author's reason. docs/problem-format.md lists them for people.
 */
#ifndef PROBLEM_ACCEPT_H
#define PROBLEM_ACCEPT_H

#include <stdbool.h>

/*    enumerator          key */
#define ACCEPTS(X)                                                                       \
    /* wrong answers that pass the tests or the benchmark's check */                     \
    X(ZEROS, "zeros")                                                                    \
    X(CONSTANT, "constant")                                                              \
    X(COPY, "copy")                                                                      \
    X(FP16, "fp16")                                                                      \
    X(FP32, "fp32")                                                                      \
    /* the same wrong answers, in the same order, where only the benchmark accepts them  \
     */                                                                                  \
    X(BENCHMARK_ZEROS, "benchmark_zeros")                                                \
    X(BENCHMARK_CONSTANT, "benchmark_constant")                                          \
    X(BENCHMARK_COPY, "benchmark_copy")                                                  \
    X(BENCHMARK_FP16, "benchmark_fp16")                                                  \
    X(BENCHMARK_FP32, "benchmark_fp32")                                                  \
    X(SIZES, "sizes")                     /* no test of 1, 2, 3 or of an odd size */     \
    X(SHORT_BENCHMARK, "short_benchmark") /* less than 1 ms of work on an H200 */        \
    X(EMU_BENCHMARK, "emu_benchmark")     /* very small or very large on emu */          \
    X(FLOAT, "float")         /* right answers in float that the tests refuse */         \
    X(SAMPLE_TESTS, "sample") /* sample tests too large to be worked out by hand */

enum accept {
#define X(name, key) ACCEPT_##name,
    ACCEPTS(X)
#undef X
        ACCEPT_COUNT
};

const char *accept_key(enum accept a);

/* May an author exempt a single output from this rule? */
bool accept_of_outputs(enum accept a);

#endif
