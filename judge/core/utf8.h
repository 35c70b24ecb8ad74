/* Text of strangers: is it UTF-8, and what of it may be shown. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include "core/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one character of text[0..len), len >= 1: its length in bytes, 0 where the bytes
 * are not UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
size_t utf8_decode(const char *text, size_t len, uint32_t *codepoint);

/* How many bytes from the start are well-formed UTF-8; len if all are. */
size_t utf8_prefix(const char *text, size_t len);

/* C0, DEL and C1: among them ESC and CSI, which start a terminal's commands. */
bool utf8_is_control(uint32_t codepoint);

/* Turns the direction of what follows, so that a text reads other than it is (the
 * property Bidi_Control of UAX #9). */
bool utf8_is_bidi(uint32_t codepoint);

/* Takes no ink: spaces other than U+0020, joiners, marks of direction, tags. Two names
 * that differ in these only look the same. */
bool utf8_is_invisible(uint32_t codepoint);

/* Appends text without what a terminal would obey or misprint: control characters other
 * than newline and tab, and those of direction, are dropped; bytes that are not UTF-8
 * become '?'. */
void utf8_clean(struct buf *out, const char *text);

#endif
