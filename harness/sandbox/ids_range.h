/* A range of host ids for sandboxes: reading and checking. Private to ids.c. */
#ifndef SANDBOX_IDS_RANGE_H
#define SANDBOX_IDS_RANGE_H

#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

struct ids_range {
    uint32_t uid, gid, count; /* the first of each kind, and how many follow them */
};

/* Reads UID:GID:COUNT. */
int ids_range_parse(const char *text, struct ids_range *out, struct report *r);

/* What /etc/subuid and /etc/subgid grant to this process's user, and else root's range.
 */
int ids_range_granted(struct ids_range *out, struct report *why);

/* Does some line NAME:FIRST:COUNT of the file give ids to this user, by login or by
 * number? The first that does is taken. */
bool ids_file_grants(const char *file, const char *login, uint32_t uid, uint32_t *first,
                     uint32_t *count);

/* Returns 0 if the ids are there, belong to no account and are not ours. */
int ids_range_check(const struct ids_range *range, struct report *why);

#endif
