/* The problems as the daemon knows them. A spec is loaded when it is asked for, and again
 * when its problem.json has changed. */
#ifndef DAEMON_SPECS_H
#define DAEMON_SPECS_H

#include "base/report.h"
#include "problem/problem.h"

struct specs;

struct specs *specs_new(const char *problems_dir);
void specs_free(struct specs *s);

/* The problem, which belongs to s and is good until the next call, or NULL and a report.
 * Then *exists is true for a broken spec and false for an unknown slug. For that, the
 * report suggests the nearest slug. */
const struct problem *specs_get(struct specs *s, const char *slug, bool *exists,
                                struct report *r);

/* What the problem's spec says of its sources. It is SOURCES_OWNER where there is no such
 * problem, or its spec is broken. */
enum sources specs_sources(struct specs *s, const char *slug);

/* The text of a list of all problems, which specs_keep_list() has given to keep; NULL
 * where there is none, or where a spec has changed, come or gone since. That is looked at
 * again after LIST_CHECK_MS at the latest. */
#define LIST_CHECK_MS 250
const char *specs_list(struct specs *s);
void specs_keep_list(struct specs *s, const char *text, int count);

const char *specs_dir(const struct specs *s);

#endif
