/* The words of CUDA C++ that no source names for itself. */
#include "compile/equal_words.h"

#include <stdlib.h>
#include <string.h>

/* In the order of strcmp(), for bsearch(). */
static const char *const WORDS[] = {
    "abs",         "alignas",    "alignof",
    "asm",         "atomicAdd",  "atomicAnd",
    "atomicCAS",   "atomicExch", "atomicMax",
    "atomicMin",   "atomicOr",   "atomicSub",
    "atomicXor",   "auto",       "blockDim",
    "blockIdx",    "bool",       "break",
    "case",        "ceil",       "ceilf",
    "char",        "char2",      "char4",
    "class",       "const",      "constexpr",
    "continue",    "cos",        "cosf",
    "decltype",    "default",    "delete",
    "dim3",        "do",         "double",
    "double2",     "double4",    "dynamic_cast",
    "else",        "enum",       "erf",
    "erff",        "exp",        "exp2f",
    "expf",        "explicit",   "extern",
    "fabs",        "fabsf",      "false",
    "float",       "float2",     "float3",
    "float4",      "floor",      "floorf",
    "fma",         "fmaf",       "fmax",
    "fmaxf",       "fmin",       "fminf",
    "for",         "friend",     "goto",
    "gridDim",     "half",       "half2",
    "if",          "inline",     "int",
    "int16_t",     "int2",       "int3",
    "int32_t",     "int4",       "int64_t",
    "int8_t",      "log",        "log2f",
    "logf",        "long",       "make_float2",
    "make_float4", "make_int2",  "make_int4",
    "max",         "min",        "mutable",
    "namespace",   "new",        "noexcept",
    "nullptr",     "operator",   "pow",
    "powf",        "private",    "protected",
    "public",      "register",   "reinterpret_cast",
    "return",      "rsqrt",      "rsqrtf",
    "short",       "short2",     "short4",
    "signed",      "sin",        "sinf",
    "size_t",      "sizeof",     "sqrt",
    "sqrtf",       "static",     "static_assert",
    "static_cast", "struct",     "switch",
    "tanh",        "tanhf",      "template",
    "this",        "threadIdx",  "thread_local",
    "throw",       "true",       "try",
    "typedef",     "typename",   "uchar4",
    "uint16_t",    "uint2",      "uint32_t",
    "uint4",       "uint64_t",   "uint8_t",
    "union",       "unsigned",   "using",
    "virtual",     "void",       "volatile",
    "warpSize",    "while",
};

static int
compare_word(const void *key, const void *member)
{
    const struct slice *s = key;
    const char *word = *(const char *const *)member;
    const int order = strncmp(s->at, word, s->len);

    return order != 0 ? order : -(word[s->len] != '\0');
}

bool
word_is_known(const struct slice *s)
{
    static const char *const PREFIXES[] = {"__", "cuda", "std"};

    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (s->len >= strlen(PREFIXES[i]) &&
            memcmp(s->at, PREFIXES[i], strlen(PREFIXES[i])) == 0)
            return true;
    return bsearch(s, WORDS, sizeof WORDS / sizeof *WORDS, sizeof *WORDS, compare_word) !=
           NULL;
}
