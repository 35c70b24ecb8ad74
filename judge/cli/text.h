/* The width of text on a terminal. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "base/buf.h"

/* How many columns text takes on a terminal. It need not be valid UTF-8. */
int text_width(const char *text);

/* Adds lines that begin with `indent` spaces and have at most `width` columns, unless a
 * word alone is longer. They are broken between words. */
void text_wrap(struct buf *out, const char *text, int indent, int width);

#endif
