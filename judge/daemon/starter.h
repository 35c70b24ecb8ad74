/* The .cu that a person starts from: the problem's signature with an empty body. */
#ifndef DAEMON_STARTER_H
#define DAEMON_STARTER_H

#include "core/problem.h"

/* problems/SLUG/starter.cu where there is one, else generated. The caller frees. NULL and
 * a report where the file is there and cannot be read. */
char *starter_text(const struct problem *p, struct report *r);

#endif
