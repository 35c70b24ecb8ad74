/* The house's marks as the API shows them. What somebody has not beaten yet is shown as a
 * time alone: a name would tell the next idea (api_hint.c tells it who asks). */
#ifndef DAEMON_MARKS_JSON_H
#define DAEMON_MARKS_JSON_H

#include "base/report.h"

#include <cjson/cJSON.h>

struct board;
struct daemon;
struct measured;

/* {"steps", "beaten", "marks"} of a board, for this user. NULL where the store fails. */
cJSON *board_house_json(struct daemon *d, const struct board *b, const char *user,
                        struct report *r);

/* Adds "house": {"steps", "beaten"}, of a time on a board; and nothing where the board
 * has no marks. -1 where the store fails. */
int add_house_count(cJSON *o, struct daemon *d, const struct board *b,
                    const struct measured *time, struct report *r);

#endif
