/* Files, clocks and random bytes: files are read whole with a limit and written
 * atomically. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/report.h"

#include <stdint.h>

/* Reads a regular file of at most max bytes into out, which is cleared first. A folder, a
 * device and a larger file are refused with a sentence that names the path. */
int file_read(const char *path, size_t max, struct buf *out, struct report *r);

/* Writes path.tmp and renames it, so that a reader sees the old file or the whole new
 * one. The file is not flushed to the disk, which would hold the daemon's loop for
 * milliseconds. What must survive a power cut is in the database, and a job's folder is
 * made anew. */
int file_write(const char *path, const void *bytes, size_t len, struct report *r);

/* Copies a file's bytes and permission bits, or makes a hard link where that is
 * possible. */
int file_copy(const char *from, const char *to, struct report *r);

/* Copies them always, so that the new file is our own and no link of the old one. */
int file_copy_bytes(const char *from, const char *to, struct report *r);

/* The first is mkdir -p. The second is rm -rf that follows no links and stays below
 * path. */
int file_mkdirs(const char *path, struct report *r);
int file_remove_tree(const char *path, struct report *r);

/* SHA-256 in lower-case hexadecimal. */
void hash_hex(const void *bytes, size_t len, char out[65]);

/* The wall clock in milliseconds since 1970. It is only for times that are shown. */
int64_t now_ms(void);
/* CLOCK_MONOTONIC, for every deadline and every duration. */
uint64_t now_ns(void);

/* How long the machine has been suspended since it was started. Meanwhile no other clock
 * of this header goes on, and a device may lose what is in its memory. */
uint64_t slept_ns(void);

/* Fills out with random bytes of the kernel. It ends the process where there are none. */
void random_bytes(void *out, size_t len);

#endif
