/*
 * Digests by which equal work is found: of a source, and of the PTX that nvcc made of it.
 * Two texts have one digest where they differ only in what is normalised away.
 *
 * Both texts are cut into pieces at their top level: functions, variables, types, macros.
 * In each piece names get numbers by the order in which they first occur there. The
 * digest is that of the pieces' texts, sorted. So neither names nor the order of pieces
 * matter.
 *
 * Of a source also comments, white space, line ends, #include lines and the spelling of
 * numbers' letters go. So do pieces that solve() does not reach by any name, such as a
 * kernel that nobody calls. Keywords and the names of CUDA stay as they are.
 *
 * Of PTX also comments, versions, targets, debug information, .reg lines and visibility
 * go.
 *
 * docs/security.md says what this sees through, and what it does not.
 */
#ifndef COMPILE_EQUAL_H
#define COMPILE_EQUAL_H

#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
    char hex[65];
    int64_t size; /* tokens of the source, or statements of the PTX; 0: no digest */
};

/* Where there is nothing to digest, *out has the size 0. The text needs no NUL at its
 * end. */
void digest_source(const char *text, size_t len, struct digest *out);

/* Only PTX with a kernel has a digest. */
void digest_ptx(const char *text, size_t len, struct digest *out);

/* Are these the digits of a digest? */
bool digest_is_valid(const char *hex);

/* The file of a digest: its digits and its size, or nothing where there is none. */
int digest_write(const char *path, const struct digest *d, struct report *r);
int digest_read(const char *path, struct digest *out, struct report *r);

#endif
