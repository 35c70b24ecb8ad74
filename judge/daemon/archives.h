/* The problems as workers fetch them (problem/archive.h), by their hashes. What was
 * packed is kept until a file of the problem changes. */
#ifndef DAEMON_ARCHIVES_H
#define DAEMON_ARCHIVES_H

#include "base/buf.h"
#include "base/report.h"

#define ARCHIVE_HASH_BYTES 65

struct archives;

/* A text, which is kept for who still sends it when its problem has changed. */
struct archive_text {
    struct buf text;
    int users;
};

struct archives *archives_new(const char *problems_dir);
void archives_free(struct archives *all);

/* The hash of a problem as its files are now: good until the next call. NULL and a report
 * where it cannot be packed. */
const char *archives_hash(struct archives *all, const char *slug, struct report *r);

/* The text of this hash, or NULL where no problem has it any more. archive_text_let_go()
 * must follow, before archives_free() or after it. */
struct archive_text *archives_take_text(const struct archives *all, const char *hash);
void archive_text_let_go(struct archive_text *text);

#endif
