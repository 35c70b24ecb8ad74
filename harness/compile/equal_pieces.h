/* Private to equal*.c: names that get numbers, and pieces of which a digest is made. */
#ifndef COMPILE_EQUAL_PIECES_H
#define COMPILE_EQUAL_PIECES_H

#include "base/buf.h"
#include "compile/equal.h"

#include <stdbool.h>
#include <stddef.h>

/* Part of a text. */
struct slice {
    const char *at;
    size_t len;
};

bool slice_is(const struct slice *s, const char *word);

/* Names with numbers from 0, in the order in which they were first asked for. It is a
 * balanced tree, so that no names make it slow. It borrows the names' text. */
struct names {
    void *tree;
    size_t count;
};

size_t names_number(struct names *n, const struct slice *name);
void names_free(struct names *n);

/* The digests of pieces. */
struct pieces {
    char (*hex)[65];
    size_t count;
};

/* Adds the piece that has this normalised text. */
void pieces_add(struct pieces *p, const struct buf *text);

/* Sets out->hex, and frees the pieces. */
void pieces_digest(struct pieces *p, struct digest *out);

#endif
