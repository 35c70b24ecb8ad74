/* Element types of parameters, in one table. Sizes are in bytes. An element of fp4_e2m1
 * is a byte that holds two codes; it is drawn and compared as a byte. */
#ifndef NUMBERS_DTYPE_H
#define NUMBERS_DTYPE_H

#include <stddef.h>

/*  enumerator  name in a spec  size  C++ type in solve()'s signature  class */
#define DTYPES(X)                                                                        \
    X(F32, "float32", 4, "float", FLOAT)                                                 \
    X(F64, "float64", 8, "double", FLOAT)                                                \
    X(F16, "float16", 2, "__half", FLOAT)                                                \
    X(BF16, "bfloat16", 2, "__nv_bfloat16", FLOAT)                                       \
    X(E4M3, "fp8_e4m3", 1, "uint8_t", FLOAT)                                             \
    X(E5M2, "fp8_e5m2", 1, "uint8_t", FLOAT)                                             \
    X(E2M1X2, "fp4_e2m1", 1, "uint8_t", UNSIGNED)                                        \
    X(I8, "int8", 1, "int8_t", SIGNED)                                                   \
    X(U8, "uint8", 1, "uint8_t", UNSIGNED)                                               \
    X(I16, "int16", 2, "int16_t", SIGNED)                                                \
    X(U16, "uint16", 2, "uint16_t", UNSIGNED)                                            \
    X(I32, "int32", 4, "int", SIGNED)                                                    \
    X(U32, "uint32", 4, "unsigned int", UNSIGNED)                                        \
    X(I64, "int64", 8, "int64_t", SIGNED)                                                \
    X(U64, "uint64", 8, "uint64_t", UNSIGNED)

enum dtype {
#define X(name, text, size, ctype, class) DTYPE_##name,
    DTYPES(X)
#undef X
        DTYPE_COUNT
};

enum dtype_class { CLASS_FLOAT, CLASS_SIGNED, CLASS_UNSIGNED };

const char *dtype_name(enum dtype t);
const char *dtype_ctype(enum dtype t);
size_t dtype_size(enum dtype t);
enum dtype_class dtype_class(enum dtype t);
/* -1: there is no such type. */
int dtype_parse(const char *name, enum dtype *out);

#endif
