/* The cache of linked programs, by the content of everything that goes into them. */
#ifndef COMPILE_CACHE_H
#define COMPILE_CACHE_H

#include "compile/compile.h"

#define CACHE_KEY_LEN 65 /* SHA-256 in hexadecimal, and the NUL */

/* Computes the key of t's program. */
int cache_key(const struct target *t, char key[CACHE_KEY_LEN], struct report *r);

/* The key of what belongs to the program of this key: its "assembly", the "digest" of
 * its PTX, or the "refusal" of its source. */
void cache_part_key(const char *part, const char key[CACHE_KEY_LEN],
                    char out[CACHE_KEY_LEN]);

/* Puts the cached program at `to` and checks it there. Returns true if a sound one is
 * there. A damaged entry is removed. */
bool cache_get(const char *cache, const char *key, const char *to);

/* Waits until no other process makes the program of this key, and returns a descriptor.
 * Others wait until it is closed or this process ends. *waited: another process had it
 * until now. -1: nobody can be waited for. */
int cache_claim(const char *cache, const char *key, bool *waited);

/* Keeps the program at `from`. If the cache gets too large, the least recently used
 * entries are removed. */
int cache_put(const char *cache, const char *key, const char *from, struct report *r);

/* Removes what is kept under this key, if there is anything. */
void cache_forget(const char *cache, const char *key);

#endif
