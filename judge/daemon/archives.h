/*
 * The problems as workers fetch them (problem/archive.h), by their hashes. What was
 * packed is kept until a file of the problem changes.
 *
 * A problem of megabytes takes a tenth of a second to pack, which a thread does. What
 * waits for the problem gets no worker meanwhile (lease_choice.h), and the queue goes on
 * when it is packed. Short ones are packed at once.
 */
#ifndef DAEMON_ARCHIVES_H
#define DAEMON_ARCHIVES_H

#include "base/buf.h"
#include "base/report.h"

#include <stdbool.h>

#define ARCHIVE_HASH_BYTES 65

struct archives;
struct daemon;

/* A text, which is kept for who still sends it when its problem has changed. */
struct archive_text {
    struct buf text;
    int users;
};

struct archives *archives_new(struct daemon *d, struct report *r);
/* Waits for what is packed now. */
void archives_free(struct archives *all);

enum archive_state {
    ARCHIVE_PACKED,  /* *hash is there */
    ARCHIVE_PACKING, /* a thread packs it */
    ARCHIVE_BROKEN   /* it cannot be packed: there is a report */
};

/* The hash of a problem as its files are now: good until the next call. */
enum archive_state archives_hash(struct archives *all, const char *slug,
                                 const char **hash, struct report *r);

/* Is the problem being packed? Where nobody has looked at its files for a moment, that is
 * done, and it is packed if they have changed. A queue of thousands may ask. */
bool archives_is_packing(struct archives *all, const char *slug);

/* The text of this hash, or NULL where no problem has it any more. archive_text_let_go()
 * must follow, before archives_free() or after it. */
struct archive_text *archives_take_text(const struct archives *all, const char *hash);
void archive_text_let_go(struct archive_text *text);

#endif
