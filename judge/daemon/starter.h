/* The starter: a .cu with the problem's signature and an empty body. */
#ifndef DAEMON_STARTER_H
#define DAEMON_STARTER_H

#include "problem/problem.h"

/* The text of problems/SLUG/starter.cu where there is one, else one that is generated.
 * The caller frees. NULL and a report where the file is there and cannot be read. */
char *starter_text(const struct problem *p, struct report *r);

#endif
