/*
 * The .npy files of numpy, versions 1.0 and 2.0 of the format (NEP 1): one array, whose
 * header is the text of a Python dictionary. Arrays of plain numbers in little-endian
 * bytes and C order are read; anything else is refused in a sentence.
 */
#ifndef CLI_NPY_H
#define CLI_NPY_H

#include "base/buf.h"
#include "base/report.h"

#include <stddef.h>
#include <stdint.h>

#define NPY_RANK_MAX 32

struct npy {
    const char *type; /* as a spec names it: "float32"; of a bool "uint8" */
    int rank;         /* 0: one number */
    uint64_t dim[NPY_RANK_MAX];
    const void *data; /* points into the bytes that were parsed */
    size_t bytes;     /* of data */
};

/* Parses the bytes of a whole file. */
int npy_parse(const void *bytes, size_t len, struct npy *out, struct report *r);

/* Adds the bytes of a file with this array. What numpy has no type for is written as its
 * bits: bfloat16 as uint16, and types of one byte as uint8. -1 where `type` is none. */
int npy_add(struct buf *out, const struct npy *array, struct report *r);

#endif
