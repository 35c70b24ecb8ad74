/* For which assignments something was submitted, and whether it came too late. */
#ifndef DAEMON_DUE_JSON_H
#define DAEMON_DUE_JSON_H

#include "base/report.h"
#include "daemon/identity.h"

#include <cjson/cJSON.h>
#include <stdint.h>

struct daemon;

/* Adds `assignments` to a submission of this user, which came at this moment of the
 * daemon's clock: those that who asks may know of, if any. Its user knows all of them,
 * and a teacher those of their own groups. */
int due_json_add(cJSON *o, struct daemon *d, const struct identity *who, const char *user,
                 const char *problem, int64_t at_ms, struct report *r);

#endif
