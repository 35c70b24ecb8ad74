/*
 * Where text for people goes: a terminal with colours and a line that is rewritten, or a
 * pipe with neither. Colours are off for anything that is no terminal, for TERM=dumb and
 * where NO_COLOR is set (no-color.org).
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_BAD, STYLE_WARN };

struct terminal {
    FILE *file;
    bool live; /* a terminal on which a line can be rewritten */
    bool colour;
    bool utf8; /* the locale's encoding */
    int width; /* columns */
};

void terminal_open(struct terminal *t, FILE *file);

/* Prints in a style; control characters in the result are dropped (cli/text.h). */
void terminal_print(const struct terminal *t, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A live terminal's current line becomes text (cut to the width); "" erases it. */
void terminal_rewrite(const struct terminal *t, const char *text);

#endif
