/* The problems as the daemon knows them. A spec is loaded when it is asked for, and again
 * when its problem.json has changed, which each question looks at. What follows from a
 * spec without a question asks for its changes (specs_look()). */
#ifndef DAEMON_SPECS_H
#define DAEMON_SPECS_H

#include "base/report.h"
#include "problem/problem.h"

#include <stdint.h>

struct kept_answer;
struct specs;

struct specs *specs_new(const char *problems_dir);
void specs_free(struct specs *s);

/* The problem, which belongs to s and is good until the next call, or NULL and a report.
 * Then *exists is true for a broken spec and false for an unknown slug. For that, the
 * report suggests the nearest slug. */
const struct problem *specs_get(struct specs *s, const char *slug, bool *exists,
                                struct report *r);

/* Reads those again whose file has changed since, at most so many. It takes a microsecond
 * or two for each spec that was ever asked for, and most of a millisecond for each that
 * is read. */
void specs_look(struct specs *s, int most);

/* A problem that needs another number of GPUs than before, or two when it was read first,
 * or that was broken before. Each change is told once. The problem is good until the next
 * call of any of these. NULL: there is no such change. */
const struct problem *specs_take_other_gpus(struct specs *s);

/* Fills the report as specs_get() does for a slug that no problem has. */
void specs_report_unknown(const struct specs *s, const char *slug, struct report *r);

/* No suggestion names a slug for which `hides` is true. */
void specs_set_hides(struct specs *s, bool (*hides)(void *arg, const char *slug),
                     void *arg);

/* What the problem's spec says of its sources. It is SOURCES_OWNER where there is no such
 * problem, or its spec is broken. */
enum sources specs_sources(struct specs *s, const char *slug);

/* The list of all problems, which specs_keep_list() has given to keep; NULL where there
 * is none, or where a spec has changed, come or gone since. That is looked at again after
 * LIST_CHECK_MS at the latest. */
#define LIST_CHECK_MS 250
struct kept_answer *specs_list(struct specs *s);
void specs_keep_list(struct specs *s, const char *text, int count);

/* How many specs were read since the start, with those that were read again. Where it
 * stays the same, all that was made of the specs is of the same files. */
uint64_t specs_reads(const struct specs *s);

/* The answer about a problem, which specs_keep_answer() has given to keep; NULL where
 * there is none, or where its spec, statement or starter, or the devices, have changed
 * since. Each call looks at the files. It and the list belong to s, until the next call.
 */
struct kept_answer *specs_answer(struct specs *s, const char *slug, uint64_t devices);

/* Keeps what was made after specs_answer() gave none, of the files as they were then. */
struct kept_answer *specs_keep_answer(struct specs *s, const char *slug,
                                      const char *text);

const char *specs_dir(const struct specs *s);

#endif
