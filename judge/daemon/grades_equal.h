/*
 * Whom of the people that are graded somebody's work on a problem is equal to. Grades
 * tell of nobody else, because another class may not be known to the teacher.
 *
 * First the digests of all equal work are read. Then submissions are noted as they are
 * looked at, so that none is read a second time. At last each work that somebody has is
 * read once, with its people.
 */
#ifndef DAEMON_GRADES_EQUAL_H
#define DAEMON_GRADES_EQUAL_H

#include "base/report.h"
#include "record/grades.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon;
struct grades_equal;

/* What came after until_ms does not count. user_of() is the name of somebody who is
 * graded, which lives as long as this, or NULL for anybody else. */
struct grades_equal *grades_equal_new(struct daemon *d, int64_t until_ms,
                                      const char *(*user_of)(void *ctx, int64_t account),
                                      void *ctx);
void grades_equal_free(struct grades_equal *e);

/* Reads some of the digests. *more is false where none is left. */
int grades_equal_read(struct grades_equal *e, bool *more, struct report *r);

/* Notes a submission of a person, once all digests are read. Those of one person come one
 * after another, and people in the order of their indexes. */
void grades_equal_note(struct grades_equal *e, size_t person, const struct graded *sub);

/* An array of {"user", "kind"}, a row for each of these people: "source" where one source
 * is equal, else "ptx". A starter's source is nobody's work. NULL and a report where the
 * store fails; the caller deletes it. It is called for people in their order, once all
 * are noted. */
cJSON *grades_equal_json(struct grades_equal *e, size_t person, int64_t account,
                         const char *problem, struct report *r);

#endif
