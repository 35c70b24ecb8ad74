/*
 * Hiding: which problems are hidden from whom. Nothing else decides it.
 *
 * An assignment of a group may hide its problems until it opens (record/assignments.h).
 * Such a problem is hidden from everybody, also from guests, because a member could ask
 * without being known. The staff see it, and so do those who teach a group with such an
 * assignment. In a group where an assignment with it has opened its members see it, too.
 * To whom it is hidden it is as a problem that is not there; of what was submitted to it,
 * they see their own.
 *
 * Where nothing is hidden, a question costs a comparison.
 */
#ifndef DAEMON_HIDING_H
#define DAEMON_HIDING_H

#include "base/report.h"
#include "daemon/identity.h"
#include "problem/problem.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct daemon;
struct hiding;

/* After the store and the specs. From then on no suggestion names what is hidden. */
struct hiding *hiding_new(struct daemon *d);
void hiding_free(struct hiding *h);

/* Is anything hidden from anybody? Where the store fails it is; the log says why. */
bool hiding_any(struct hiding *h);

/* Is this problem hidden from anybody? Where the store fails it is. */
bool hiding_hides_from_some(struct hiding *h, const char *problem);

/* Is this problem hidden from who asks? -1 where the store fails. */
int hiding_hides(struct hiding *h, const struct identity *who, const char *problem,
                 bool *hides, struct report *r);

/* The same of what `user` has submitted to it, which they see themselves. */
int hiding_hides_work(struct hiding *h, const struct identity *who, const char *problem,
                      const char *user, bool *hides, struct report *r);

/* specs_get() for who asks: a problem that is hidden from them does not exist. Where the
 * store fails, *exists is true. */
const struct problem *hiding_get(struct hiding *h, const struct identity *who,
                                 const char *slug, bool *exists, struct report *r);

/* Takes those that are hidden from who asks out of a list of slugs. *count is how many
 * stay. */
int hiding_filter(struct hiding *h, const struct identity *who, char **slugs, int *count,
                  struct report *r);

/* The same for an answer's list of slugs, such as what a problem comes after. */
int hiding_filter_json(struct hiding *h, const struct identity *who, cJSON *list,
                       struct report *r);

#endif
