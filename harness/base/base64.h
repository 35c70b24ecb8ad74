/* Base64 (RFC 4648, section 4), by which bytes travel in JSON. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds the bytes as base64, with padding. */
void base64_add(struct buf *out, const void *bytes, size_t len);

/* Adds the bytes that a text stands for. False, and nothing is added, where the text is
 * not base64 with its padding, or has bits behind its last byte that are not 0. */
bool base64_read(struct buf *out, const char *text);

#endif
