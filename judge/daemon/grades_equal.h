/* Whom of the people that are graded somebody's work on a problem is equal to. Grades
 * tell of nobody else, because another class may not be known to the teacher. */
#ifndef DAEMON_GRADES_EQUAL_H
#define DAEMON_GRADES_EQUAL_H

#include "base/report.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

struct daemon;

struct grades_equal {
    struct daemon *daemon;
    int64_t until_ms; /* what came later does not count */
    bool (*is_graded)(void *ctx, int64_t account);
    void *ctx;
};

/* An array of {"user", "kind"}, a row for each of these people: "source" where one source
 * is equal, else "ptx". A starter's source is nobody's work. NULL and a report where the
 * store fails; the caller deletes it. */
cJSON *grades_equal_json(const struct grades_equal *e, int64_t account, const char *user,
                         const char *problem, struct report *r);

#endif
