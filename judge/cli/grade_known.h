/* A set of names that `grade` has met: ids, keys and lines of a file. A name may have a
 * place in a file. */
#ifndef CLI_GRADE_KNOWN_H
#define CLI_GRADE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct known {
    struct known *next;
    char *name;
    off_t at; /* where its line begins, in bytes */
    size_t len;
};

/* All zero: empty. known_free() empties it. */
struct known_set {
    struct known **bucket;
    size_t buckets, count;
};

/* NULL where the name is not in the set. It is valid until the next known_add(). */
const struct known *known_find(const struct known_set *set, const char *name);

/* Adds a name, unless it is there. Says whether it was not. */
bool known_add(struct known_set *set, const char *name, off_t at, size_t len);
void known_free(struct known_set *set);

#endif
