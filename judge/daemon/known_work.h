/*
 * The work of the judge's own that submissions to a problem may be equal to: its starter,
 * and its right solutions, which `warpjudge hint` shows. The files are read and their
 * digests taken where somebody of the staff asks; a problem has ten of them at most.
 */
#ifndef DAEMON_KNOWN_WORK_H
#define DAEMON_KNOWN_WORK_H

#include "compile/equal.h"
#include "problem/ladder.h"

#include <stdbool.h>

struct daemon;

struct known_work {
    struct digest starter; /* its size is 0 where there is none */
    struct ladder solutions;
    struct digest solution[LADDER_STEPS_MAX];
};

/* Reads what the problem has now. What is gone, or cannot be read, is left out. The
 * caller calls known_work_free(). */
void known_work_read(struct daemon *d, const char *slug, struct known_work *out);
void known_work_free(struct known_work *k);

/* Reads the starter alone. */
void known_work_starter(struct daemon *d, const char *slug, struct digest *out);

/* Is this the digest of the starter's source? */
bool known_work_is_starter(const struct known_work *k, const char *hex);

/* The file's name of the solution whose source has this digest, or NULL. */
const char *known_work_solution(const struct known_work *k, const char *hex);

#endif
