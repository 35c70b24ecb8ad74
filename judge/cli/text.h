/* The width of text on a terminal. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "base/buf.h"

#include <stdbool.h>

/* How many columns text takes on a terminal. It need not be valid UTF-8. */
int text_width(const char *text);

/* Is the word somewhere in the text, in letters of any size? */
bool text_mentions(const char *text, const char *word);

/* How many bytes of text, whole characters from its start, take at most `width`
 * columns. */
size_t text_fitting(const char *text, int width);

/* Adds as much of text as `width` columns hold. Where something is left out, an ellipsis
 * stands at the end; it is a single character with UTF-8, and two dots without. */
void text_cut(struct buf *out, const char *text, int width, bool utf8);

/* Adds lines that begin with `indent` spaces and have at most `width` columns, unless a
 * word alone is longer. They are broken between words. */
void text_wrap(struct buf *out, const char *text, int indent, int width);

/* The same, with another indent for the first line. */
void text_wrap_hanging(struct buf *out, const char *text, int first, int indent,
                       int width);

#endif
