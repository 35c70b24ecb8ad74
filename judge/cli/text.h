/* Text on a terminal: how wide it is, and what of it may get there. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "core/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one character of text[0..len): its length in bytes, 0 where the bytes are not
 * UTF-8 (overlong forms, surrogates and values over U+10FFFF are not). len >= 1. */
size_t utf8_decode(const char *text, size_t len, uint32_t *codepoint);

/* Columns on a terminal. */
int text_width(const char *text);

/* Appends text without what a terminal would obey or misprint: control characters other
 * than newline and tab are dropped, bytes that are not UTF-8 become '?'. */
void text_clean(struct buf *out, const char *text);

#endif
