/* Names that people type: of problems, flags, verbs, users. */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include "core/report.h"

#include <stddef.h>

/* The entrant under whose name solutions/ are ranked. Nobody may submit as it over HTTP;
 * what ranks solutions/ writes to the store itself. */
#define HOUSE_USER "house"

#define USER_BYTES_MAX 64

/* May somebody submit under this name? UTF-8 is the caller's to check. */
int user_name_check(const char *name, struct report *r);

/* The one of names[0..count) that is so near to `word` that it was probably meant; else
 * NULL. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
