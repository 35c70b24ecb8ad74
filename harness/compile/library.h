/*
 * The libraries of the CUDA Toolkit that a solution may use: "libraries" of a
 * problem.json. The compiler keeps all others off the include path and the link
 * line. docs/problem-format.md says what they are and why these.
 */
#ifndef COMPILE_LIBRARY_H
#define COMPILE_LIBRARY_H

#include <stdbool.h>

/* enumerator     key in a spec    for people */
#define LIBRARIES(X)                                                                     \
    /* headers only, the same on every device */                                         \
    X(CUB, "cub", "CUB")                                                                 \
    X(THRUST, "thrust", "Thrust")                                                        \
    X(CURAND_KERNEL, "curand_kernel", "cuRAND's device functions")                       \
    /* linked, so on a GPU only */                                                       \
    X(CURAND, "curand", "cuRAND")                                                        \
    X(CUBLAS, "cublas", "cuBLAS")                                                        \
    X(CUFFT, "cufft", "cuFFT")                                                           \
    X(CUSPARSE, "cusparse", "cuSPARSE")                                                  \
    X(CUSOLVER, "cusolver", "cuSOLVER")

enum library {
#define X(name, key, title) LIBRARY_##name,
    LIBRARIES(X)
#undef X
        LIBRARY_COUNT
};

#define LIBRARY_BIT(l) (1u << (l))
#define LIBRARIES_DEFAULT                                                                \
    (LIBRARY_BIT(LIBRARY_CUB) | LIBRARY_BIT(LIBRARY_THRUST) |                            \
     LIBRARY_BIT(LIBRARY_CURAND_KERNEL))

const char *library_key(enum library l);
int library_parse(const char *key, enum library *out); /* -1: no such library */
const char *library_title(enum library l);
bool library_is_linked(enum library l);

/* Is a library of the set one that is linked? */
bool libraries_any_linked(unsigned set);

/* The set with the libraries that these need: Thrust calls CUB; cuSOLVER calls cuBLAS
 * and cuSPARSE. */
unsigned libraries_with_needed(unsigned set);

#endif
