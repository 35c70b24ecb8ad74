/* Files as the judge uses them: read whole with a cap, written atomically, folders. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "core/buf.h"
#include "core/report.h"

#include <stdint.h>

/* Reads a regular file of at most max bytes into out (which is cleared first). A folder,
 * a device, a larger file: -1 and a sentence that names the path. */
int file_read(const char *path, size_t max, struct buf *out, struct report *r);

/* Writes path.tmp and renames it: a reader sees the old file or the whole new one. It is
 * not flushed to the disk, which would hold the daemon's loop for milliseconds: what must
 * survive a power cut is in the database, and a job's folder is made anew. */
int file_write(const char *path, const void *bytes, size_t len, struct report *r);

/* Copies a file's bytes and permission bits (hard link where possible). */
int file_copy(const char *from, const char *to, struct report *r);

/* mkdir -p, and rm -rf that does not follow links and stays below path. */
int file_mkdirs(const char *path, struct report *r);
int file_remove_tree(const char *path, struct report *r);

/* SHA-256 in lower-case hexadecimal. */
void hash_hex(const void *bytes, size_t len, char out[65]);

int64_t now_ms(void);  /* wall clock, milliseconds since 1970: only to be shown */
uint64_t now_ns(void); /* CLOCK_MONOTONIC: every deadline and every duration */

/* How long the machine has been suspended since it was started. While it was, no other
 * clock here went on, and a device may have lost what was in its memory. */
uint64_t slept_ns(void);

/* len random bytes of the kernel's generator; never fails (ends the process). */
void random_bytes(void *out, size_t len);

#endif
