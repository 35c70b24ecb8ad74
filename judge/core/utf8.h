/* Is a text UTF-8, and if not, where does it stop being so. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <stddef.h>

/* How many bytes from the start are well-formed UTF-8 (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF); len if all are. */
size_t utf8_prefix(const char *text, size_t len);

#endif
