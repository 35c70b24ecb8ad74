/* Private to equal*.c: the tokens of a source. */
#ifndef COMPILE_EQUAL_TOKENS_H
#define COMPILE_EQUAL_TOKENS_H

#include "compile/equal_pieces.h"

enum token_kind {
    TOKEN_MARK,      /* one character */
    TOKEN_WORD,      /* a keyword or a known name */
    TOKEN_NAME,      /* a name that the source has chosen */
    TOKEN_NUMBER,    /* in lower case, without its ' */
    TOKEN_TEXT,      /* a string or a character */
    TOKEN_DIRECTIVE, /* the # of a line for the preprocessor */
    TOKEN_END,       /* the end of such a line */
};

struct token {
    enum token_kind kind;
    struct slice text; /* in the owner's `text` */
    size_t name;       /* the number of a TOKEN_NAME */
};

struct tokens {
    struct buf text; /* the source without continued lines and carriage returns */
    struct token *list;
    size_t count, names;
};

/* The caller calls source_tokens_free(). A token that the source does not end ends with
 * it. */
void source_tokens_read(const char *text, size_t len, struct tokens *out);
void source_tokens_free(struct tokens *t);

#endif
