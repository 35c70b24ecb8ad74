/* The width of text on a terminal. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

/* How many columns text takes on a terminal. It need not be valid UTF-8. */
int text_width(const char *text);

#endif
