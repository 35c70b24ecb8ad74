/* The problems as workers fetch them (problem/bundle.h), by their hashes. What was packed
 * is kept until a file of the problem changes. */
#ifndef DAEMON_BUNDLES_H
#define DAEMON_BUNDLES_H

#include "base/buf.h"
#include "base/report.h"

#define BUNDLE_HASH_BYTES 65

struct bundles;

struct bundles *bundles_new(const char *problems_dir);
void bundles_free(struct bundles *b);

/* The hash of a problem as its files are now: good until the next call. NULL and a report
 * where it cannot be packed. */
const char *bundles_hash(struct bundles *b, const char *slug, struct report *r);

/* The text of this hash, or NULL where no problem has it any more. */
const struct buf *bundles_text(const struct bundles *b, const char *hash);

#endif
