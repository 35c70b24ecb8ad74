/* The problems as the daemon knows them: specs loaded on request, and again when
 * problem.json has changed. */
#ifndef DAEMON_SPECS_H
#define DAEMON_SPECS_H

#include "core/problem.h"
#include "core/report.h"

struct specs;

struct specs *specs_new(const char *problems_dir);
void specs_free(struct specs *s);

/* The problem, owned by s and good until the next call. NULL: a sentence; *exists tells
 * an unknown slug (the sentence then suggests the nearest) from a broken spec. */
const struct problem *specs_get(struct specs *s, const char *slug, bool *exists,
                                struct report *r);

const char *specs_dir(const struct specs *s);

#endif
