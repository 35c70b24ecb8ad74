/* Reads the tokens of a source, as the C++ standard's [lex] has them. Comments and white
 * space are none. */
#include "compile/equal_tokens.h"

#include "compile/equal_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct lexer {
    const char *at, *end;
    struct tokens *out;
    struct names names;
    bool line_begins, directive;
};

/* Copies a source without what only ends or continues its lines. */
static void
copy_lines(const char *text, size_t len, struct buf *out)
{
    size_t from = 0, i = 0;

    while (i < len) {
        const size_t back = text[i] == '\\',
                     carriage = i + back < len && text[i + back] == '\r',
                     line =
                         i + back + carriage < len && text[i + back + carriage] == '\n';

        if (carriage == 0 && (back == 0 || line == 0)) {
            i++;
            continue;
        }
        buf_add(out, text + from, i - from);
        i += back + carriage + line;
        from = i;
        if (back == 0)
            buf_puts(out, "\n");
    }
    buf_add(out, text + from, len - from);
}

static void
add_token(struct lexer *l, enum token_kind kind, const char *begin)
{
    struct tokens *t = l->out;

    if ((t->count & (t->count - 1)) == 0)
        t->list = xrealloc(t->list, (t->count > 0 ? 2 * t->count : 1) * sizeof *t->list);
    t->list[t->count++] =
        (struct token){.kind = kind, .text = {begin, (size_t)(l->at - begin)}};
    l->line_begins = false;
}

static bool
is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80) != 0;
}

/* A raw string, R"x( ... )x", of which the quotation mark comes next. */
static void
read_raw(struct lexer *l, const char *begin)
{
    const char *open = memchr(l->at, '(', (size_t)(l->end - l->at));
    const size_t len = open != NULL ? (size_t)(open - l->at) + 1 : 0;
    char close[20];
    const char *found;

    if (len == 0 || len > sizeof close) {
        l->at = l->end;
    } else {
        memcpy(close, l->at, len);
        close[0] = ')';
        memmove(close + 1, l->at + 1, len - 2);
        close[len - 1] = '"';
        found = memmem(open, (size_t)(l->end - open), close, len);
        l->at = found != NULL ? found + len : l->end;
    }
    add_token(l, TOKEN_TEXT, begin);
}

/* A string or a character, of which the quotation mark comes next. */
static void
read_quoted(struct lexer *l, const char *begin)
{
    const char quote = *l->at++;

    while (l->at < l->end && *l->at != quote && *l->at != '\n')
        l->at += *l->at == '\\' && l->end - l->at > 1 ? 2 : 1;
    if (l->at < l->end && *l->at == quote)
        l->at++;
    add_token(l, TOKEN_TEXT, begin);
}

/* Of the members of CUDA's vectors and indices each is what it is. */
static bool
is_vector_member(const struct tokens *t, const struct slice *word)
{
    const struct token *before = t->count > 0 ? &t->list[t->count - 1] : NULL;

    return word->len == 1 && strchr("xyzw", word->at[0]) != NULL && before != NULL &&
           (slice_is(&before->text, ".") || slice_is(&before->text, ">"));
}

static void
read_name(struct lexer *l)
{
    const char *begin = l->at;
    struct slice word;
    bool known;

    while (l->at < l->end && is_name_char(*l->at))
        l->at++;
    word = (struct slice){begin, (size_t)(l->at - begin)};
    if (l->at < l->end && *l->at == '"' && l->at[-1] == 'R') {
        read_raw(l, begin);
        return;
    }
    known = word_is_known(&word) || is_vector_member(l->out, &word);
    add_token(l, known ? TOKEN_WORD : TOKEN_NAME, begin);
    if (!known)
        l->out->list[l->out->count - 1].name = names_number(&l->names, &word);
}

/* Is the next character part of the number? After an exponent's letter a sign is. */
static bool
number_goes_on(const struct lexer *l, const char *begin)
{
    const char c = *l->at, before = l->at[-1];
    const bool hexadecimal = l->at - begin > 1 && (begin[1] == 'x' || begin[1] == 'X');

    if (c == '\'')
        return l->end - l->at > 1 && is_name_char(l->at[1]);
    if (c == '+' || c == '-')
        return strchr(hexadecimal ? "pP" : "eE", before) != NULL;
    return is_name_char(c) || c == '.';
}

static void
read_number(struct lexer *l)
{
    const char *begin = l->at++;

    while (l->at < l->end && number_goes_on(l, begin))
        l->at++;
    add_token(l, TOKEN_NUMBER, begin);
}

/* Skips white space and comments. */
static void
skip_blank(struct lexer *l)
{
    while (l->at < l->end) {
        const size_t left = (size_t)(l->end - l->at);

        if (*l->at == '\n' && l->directive) {
            return;
        } else if (isspace((unsigned char)*l->at)) {
            l->line_begins = l->line_begins || *l->at == '\n';
            l->at++;
        } else if (left >= 2 && memcmp(l->at, "//", 2) == 0) {
            const char *line = memchr(l->at, '\n', left);

            l->at = line != NULL ? line : l->end;
        } else if (left >= 2 && memcmp(l->at, "/*", 2) == 0) {
            const char *close = memmem(l->at + 2, left - 2, "*/", 2);

            l->at = close != NULL ? close + 2 : l->end;
        } else {
            return;
        }
    }
}

static void
read_mark(struct lexer *l)
{
    const char *begin = l->at;

    if (*begin == '\n') { /* of a directive */
        add_token(l, TOKEN_END, begin);
        l->at++;
        l->directive = false;
        l->line_begins = true;
    } else {
        const bool directive = *begin == '#' && l->line_begins;

        l->at++;
        add_token(l, directive ? TOKEN_DIRECTIVE : TOKEN_MARK, begin);
        l->directive = l->directive || directive;
    }
}

void
source_tokens_read(const char *text, size_t len, struct tokens *out)
{
    struct lexer l = {.out = out, .line_begins = true};

    *out = (struct tokens){0};
    copy_lines(text, len, &out->text);
    l.at = buf_str(&out->text);
    l.end = l.at + out->text.len;
    for (skip_blank(&l); l.at < l.end; skip_blank(&l)) {
        const bool digit = isdigit((unsigned char)*l.at);

        if (*l.at == '"' || *l.at == '\'')
            read_quoted(&l, l.at);
        else if (digit ||
                 (*l.at == '.' && l.end - l.at > 1 && isdigit((unsigned char)l.at[1])))
            read_number(&l);
        else if (is_name_char(*l.at))
            read_name(&l);
        else
            read_mark(&l);
    }
    if (l.directive)
        add_token(&l, TOKEN_END, l.at);
    out->names = l.names.count;
    names_free(&l.names);
}

void
source_tokens_free(struct tokens *t)
{
    free(t->list);
    buf_free(&t->text);
    *t = (struct tokens){0};
}
