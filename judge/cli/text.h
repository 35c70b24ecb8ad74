/* Text on a terminal: how wide it is. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

/* Columns on a terminal, of UTF-8 or something near it. */
int text_width(const char *text);

#endif
