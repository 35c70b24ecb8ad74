/* Text that strangers send: whether it is UTF-8, and what of it may be shown. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first character of text, which has len >= 1 bytes. It returns the
 * character's length in bytes, or 0 where the bytes are not UTF-8. RFC 3629 allows no
 * overlong forms, no surrogates and nothing above U+10FFFF. */
size_t utf8_decode(const char *text, size_t len, uint32_t *codepoint);

/* How many bytes from the start are well-formed UTF-8. It is len if all are. */
size_t utf8_prefix(const char *text, size_t len);

/* Is it a control character: C0, DEL or C1? ESC and CSI start a terminal's commands. */
bool utf8_is_control(uint32_t codepoint);

/* Does it turn the direction of writing, so that a text looks other than it is? These
 * characters have the property Bidi_Control of UAX #9. */
bool utf8_is_bidi(uint32_t codepoint);

/* Does it take no ink? Such are spaces other than U+0020, joiners, marks of direction and
 * tags. Names that differ only in these look the same. */
bool utf8_is_invisible(uint32_t codepoint);

/* Appends text without what a terminal would obey or misprint. Control characters other
 * than newline and tab, and those of direction, are dropped. Bytes that are not UTF-8
 * become '?'. */
void utf8_clean(struct buf *out, const char *text);

/* Copies text so into an array of `size` bytes, and fills the rest with zeros. A text
 * that is too long is cut between two characters. out and text may be the same. */
void utf8_clean_copy(char *out, size_t size, const char *text);

#endif
