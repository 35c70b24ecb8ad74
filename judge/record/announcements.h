/*
 * Announcements: what an admin tells everybody who uses the judge, as when it will stop.
 * They are rows of the store's database. Each stays until an admin removes it.
 *
 * Functions return 0, or -1 with a report where the store fails. Times are milliseconds
 * since 1970.
 */
#ifndef RECORD_ANNOUNCEMENTS_H
#define RECORD_ANNOUNCEMENTS_H

#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

#define ANNOUNCEMENTS_MAX 5 /* at one time: more would be read by nobody */

struct announcement {
    int64_t id;
    char *text; /* one line of announcement_check() */
    int64_t created_ms;
};

struct announcements {
    struct announcement *row;
    size_t count;
};

void announcements_free(struct announcements *list);

/* All of them, the newest first. */
int store_announcements(struct store *s, struct announcements *out, struct report *r);

/* Adds one, whose number becomes out->id. *full: there are ANNOUNCEMENTS_MAX of them, and
 * nothing is done. The caller frees out->text. */
int store_announce(struct store *s, const char *text, bool *full,
                   struct announcement *out, struct report *r);

int store_drop_announcement(struct store *s, int64_t id, bool *found, struct report *r);

#endif
