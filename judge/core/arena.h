/* Memory for what lives and dies together: everything that a problem owns. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a); /* and all that was allocated from it; a may be NULL */

/* Zeroed, aligned for any type, never NULL (running out of memory ends the process). */
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strdup(struct arena *a, const char *text);

#endif
