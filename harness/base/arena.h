/* An arena: memory that is freed all at once, such as everything that a problem owns. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
/* Frees the arena and all memory that was allocated from it. a may be NULL. */
void arena_free(struct arena *a);

/* The memory is zeroed, aligned for any type and never NULL. Running out of memory ends
 * the process. */
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strdup(struct arena *a, const char *text);

#endif
