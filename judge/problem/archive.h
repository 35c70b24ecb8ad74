/*
 * A problem's folder as one text, as it is sent to a worker (docs/http-api.md). The text
 * is a JSON object with the slug, and the files' names and bytes in the order of the
 * names. The same folder gives the same text, so that a hash of the text says which
 * problem it is.
 *
 * A text that is unpacked comes from another machine. A name in it is a plain name in the
 * folder that is made, and nothing but regular files comes out.
 */
#ifndef PROBLEM_ARCHIVE_H
#define PROBLEM_ARCHIVE_H

#include "base/buf.h"
#include "base/report.h"

#include <stddef.h>

#define ARCHIVE_FILES_MAX 64
#define ARCHIVE_BYTES_MAX ((size_t)8 << 20) /* of the files together */
#define ARCHIVE_TEXT_MAX ((size_t)12 << 20) /* base64 takes a third more */

/* Packs the regular files of DIR/SLUG. Folders, and files with names that are hidden or
 * not of [A-Za-z0-9._-], stay behind. A symbolic link is an error. */
int archive_pack(const char *dir, const char *slug, struct buf *out, struct report *r);

/* Makes the folder DIR/SLUG, which must not be there, with the files of a text. `slug` is
 * the problem that the text must be of. What was made stays where it fails. */
int archive_unpack(const char *text, size_t len, const char *dir, const char *slug,
                   struct report *r);

#endif
