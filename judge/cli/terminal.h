/*
 * Where text for people goes. That is a terminal with colours and a line that can be
 * rewritten, or a pipe with neither. Colours are off for anything that is no terminal,
 * for TERM=dumb and where NO_COLOR is set (no-color.org).
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_BAD, STYLE_WARN };

struct terminal {
    FILE *file;
    bool live; /* it is a terminal on which a line can be rewritten */
    bool colour;
    bool cut;  /* it is a terminal, so that lines must not be longer than it is wide */
    bool utf8; /* the locale's encoding is UTF-8 */
    int width; /* columns */

    /* Private to terminal_page_*(). */
    char *gathered;
    size_t gathered_len;
};

void terminal_open(struct terminal *t, FILE *file);

/* Prints in a style. Control characters in the result are dropped (base/utf8.h). */
void terminal_print(const struct terminal *t, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints a paragraph, which ends with a newline. On a terminal it is broken between words
 * into lines that fit, each with this indent. */
void terminal_paragraph(const struct terminal *t, enum style style, int indent,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Prints one line, which may begin with blanks, and a newline. On a terminal a line that
 * is too long is broken between words, and goes on with `hang` columns more. */
void terminal_line(const struct terminal *t, enum style style, int hang,
                   const char *line);

/* Gathers what is printed on *page, in styles and in pieces of lines. terminal_page_end()
 * prints it on t. There, where t is a terminal, a line that is too long is broken between
 * words. Where t is none, *page prints at once. */
void terminal_page_begin(struct terminal *page, const struct terminal *t);
void terminal_page_end(struct terminal *page, const struct terminal *t);

/* Replaces the current line of a live terminal by text, which is cut to the width. ""
 * erases the line. */
void terminal_rewrite(const struct terminal *t, const char *text);

#endif
