/* What the API's answers about groups share (api_groups.c, api_group_places.c). */
#ifndef DAEMON_API_GROUPS_H
#define DAEMON_API_GROUPS_H

#include "daemon/api_accounts.h"
#include "record/groups.h"

/* Finds the group that a call names by its first segment, where who asks has at least
 * this standing in it. The caller frees it. False after having answered: a group that
 * somebody is not in is as one that is not there. */
bool asked_group(struct http_call *c, enum standing_in_group least, struct group *out);

/* The same for a group of this name. */
bool group_named(struct http_call *c, const char *name, enum standing_in_group least,
                 struct group *out);

/* The same for the group that group= names, for its members. Where the call names none,
 * out->id is 0. */
bool group_of_query(struct http_call *c, struct group *out);

/* Reads how long something is good for. False after having answered. */
bool group_days(struct http_call *c, int64_t days, int64_t most, int64_t *expires_ms);

#endif
