/* Where a user stands on the boards of a problem, as JSON. */
#ifndef DAEMON_PLACES_JSON_H
#define DAEMON_PLACES_JSON_H

#include "record/solved.h"

#include <cjson/cJSON.h>

struct daemon;

/* An array of the entries' places on today's boards, that of the default device first.
 * Entries on older boards have none. The caller deletes it. */
cJSON *places_json(struct daemon *d, const char *problem,
                   const struct solved_entries *list);

#endif
