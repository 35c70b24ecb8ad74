/* Names that people type: of problems, flags, verbs and users. */
#ifndef PROBLEM_NAMES_H
#define PROBLEM_NAMES_H

#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>

/* The house: the entrant under whose name solutions/ are ranked. Nobody may submit under
 * this name over HTTP. The program that ranks solutions/ writes to the store itself. */
#define HOUSE_USER "house"

#define USER_BYTES_MAX 64
#define SLUG_BYTES_MAX 64

/* Can a problem's folder have this name? A slug is made of a-z, 0-9 and -, and does not
 * begin with -. */
bool slug_is_valid(const char *slug);

/* 0 if somebody may submit under this name: letters, digits, - _ and . of ASCII, and
 * nothing that looks like the house. Names that were allowed earlier stay in databases.
 */
int user_name_check(const char *name, struct report *r);

/* 0 for a name to show beside an account's: free UTF-8 text of at most DISPLAY_NAME_MAX
 * characters. It holds no control character and none that turns the direction of writing,
 * and begins and ends with something that can be seen. Empty means none. */
#define DISPLAY_NAME_MAX 64
int display_name_check(const char *name, struct report *r);

/* The same for an announcement, of at most ANNOUNCEMENT_MAX characters and not empty. */
#define ANNOUNCEMENT_MAX 400
int announcement_check(const char *text, struct report *r);

/* The one of the `count` names that `word` probably means; NULL where none is near. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
