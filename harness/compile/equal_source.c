/*
 * The digest of a source. Its tokens are cut into pieces:
 *
 *     a declaration, a definition, a #define, or another line for the preprocessor
 *
 * The braces of namespaces and of extern "C" are not counted. The pieces that solve()
 * reaches by names are kept, and a piece without a name of its own always is. Where no
 * piece defines solve(), as where a macro does, all are kept. Functions that are only
 * declared are dropped, and words that change nothing of what is computed.
 */
#include "compile/equal_pieces.h"
#include "compile/equal_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Tokens, from `first` to before `end`. */
struct piece {
    size_t first, end;
    bool kept;
};

/* A name and a piece that defines it. */
struct definition {
    size_t name, piece;
};

struct source {
    struct tokens tokens;
    struct piece *piece;
    size_t count;
    struct definition *definition;
    size_t definitions;
    size_t *todo; /* pieces that are kept, whose names are not looked at yet */
    size_t todo_count;
    bool has_solve;
};

static const struct token *
token_at(const struct source *s, size_t i)
{
    return &s->tokens.list[i];
}

static bool
token_is(const struct source *s, size_t i, const char *text)
{
    return i < s->tokens.count && slice_is(&token_at(s, i)->text, text);
}

/* The function that tokens declare, by the name before its parameters; or the end. */
static size_t
function_of(const struct source *s, size_t first, size_t end)
{
    int depth = 0;

    for (size_t i = first; i < end; i++) {
        if (token_is(s, i, "{") || token_is(s, i, "="))
            break;
        if (token_is(s, i, "(") && depth == 0 && i > first &&
            token_at(s, i - 1)->kind == TOKEN_NAME)
            return i - 1;
        depth += token_is(s, i, "(") - token_is(s, i, ")");
    }
    return end;
}

static bool
only_declares(const struct source *s, size_t first, size_t end)
{
    if (token_at(s, first)->kind == TOKEN_DIRECTIVE || !token_is(s, end - 1, ";"))
        return false;
    for (size_t i = first; i < end; i++)
        if (token_is(s, i, "{") || token_is(s, i, "="))
            return false;
    return function_of(s, first, end) < end;
}

static void
add_piece(struct source *s, size_t first, size_t end)
{
    if (first == end || only_declares(s, first, end) ||
        (end - first == 1 && token_is(s, first, ";")))
        return;
    if ((s->count & (s->count - 1)) == 0)
        s->piece =
            xrealloc(s->piece, (s->count > 0 ? 2 * s->count : 1) * sizeof *s->piece);
    s->piece[s->count++] = (struct piece){first, end, false};
}

/* --- cutting ------------------------------------------------------------- */

/* How many tokens from i on are `extern "C"`, or open a namespace with its brace. */
static size_t
wrapper_tokens(const struct source *s, size_t i)
{
    size_t at = i;

    if (token_is(s, i, "extern") && token_is(s, i + 1, "\"C\""))
        return token_is(s, i + 2, "{") ? 3 : 2;
    at += token_is(s, at, "inline");
    if (!token_is(s, at, "namespace"))
        return 0;
    for (at++; at < s->tokens.count && token_at(s, at)->kind <= TOKEN_NAME; at++) {
        if (token_is(s, at, "{"))
            return at + 1 - i;
        if (token_is(s, at, "=") || token_is(s, at, ";"))
            break;
    }
    return 0;
}

static size_t
directive_end(const struct source *s, size_t i)
{
    while (i < s->tokens.count && token_at(s, i)->kind != TOKEN_END)
        i++;
    return i < s->tokens.count ? i + 1 : i;
}

/* Does the line say nothing of what is computed? */
static bool
directive_is_dropped(const struct source *s, size_t i)
{
    return token_is(s, i + 1, "include") || token_is(s, i + 1, "line") ||
           (token_is(s, i + 1, "pragma") && token_is(s, i + 2, "once"));
}

/* A declaration ends with a ; at its top level, or the brace of a body. */
static void
cut(struct source *s)
{
    size_t first = 0, i = 0;
    int depth = 0;

    while (i < s->tokens.count) {
        const size_t wrapper = first == i ? wrapper_tokens(s, i) : 0;
        const bool opens = token_is(s, i, "{") || token_is(s, i, "(");
        const bool brace = token_is(s, i, "}"), closes = brace || token_is(s, i, ")");

        if (token_at(s, i)->kind == TOKEN_DIRECTIVE && depth == 0) {
            add_piece(s, first, i);
            first = i;
            i = directive_end(s, i);
            if (!directive_is_dropped(s, first))
                add_piece(s, first, i);
            first = i;
            continue;
        }
        i += wrapper > 0 ? wrapper : 1;
        if (wrapper > 0 || (brace && depth == 0)) {
            first = i;
            continue;
        }
        depth += opens - closes;
        depth = depth < 0 ? 0 : depth;
        if (depth == 0 && (brace || token_is(s, i - 1, ";"))) {
            add_piece(s, first, i);
            first = i;
        }
    }
    add_piece(s, first, i);
}

/* --- reaching ------------------------------------------------------------ */

static void
add_definition(struct source *s, size_t name, size_t piece)
{
    const size_t n = s->definitions++;

    if ((n & (n - 1)) == 0)
        s->definition =
            xrealloc(s->definition, (n > 0 ? 2 * n : 1) * sizeof *s->definition);
    s->definition[n] = (struct definition){name, piece};
}

static void
keep(struct source *s, size_t piece)
{
    if (s->piece[piece].kept)
        return;
    s->piece[piece].kept = true;
    s->todo[s->todo_count++] = piece;
}

/* Finds what a piece defines. One that defines nothing is kept. */
static void
define_names(struct source *s, size_t number)
{
    const struct piece *p = &s->piece[number];
    const bool enumerators =
        token_is(s, p->first, "enum") || token_is(s, p->first + 1, "enum");
    const size_t function = function_of(s, p->first, p->end), before = s->definitions;
    int depth = 0;

    if (token_at(s, p->first)->kind == TOKEN_DIRECTIVE) {
        if (token_is(s, p->first + 1, "define") && p->first + 2 < p->end &&
            token_at(s, p->first + 2)->kind == TOKEN_NAME)
            add_definition(s, token_at(s, p->first + 2)->name, number);
    } else if (function < p->end) {
        add_definition(s, token_at(s, function)->name, number);
        if (slice_is(&token_at(s, function)->text, "solve")) {
            s->has_solve = true;
            keep(s, number);
        }
    } else {
        for (size_t i = p->first; i < p->end; i++) {
            if (token_at(s, i)->kind == TOKEN_NAME && (depth == 0 || enumerators))
                add_definition(s, token_at(s, i)->name, number);
            depth += token_is(s, i, "{") - token_is(s, i, "}");
        }
    }
    if (s->definitions == before)
        keep(s, number);
}

static int
definition_compare(const void *a, const void *b)
{
    const size_t x = ((const struct definition *)a)->name,
                 y = ((const struct definition *)b)->name;

    return x < y ? -1 : x > y;
}

/* Keeps the pieces that define a name. The definitions are sorted. */
static void
keep_definers(struct source *s, const size_t *begin, size_t name)
{
    for (size_t i = begin[name]; i < begin[name + 1]; i++)
        keep(s, s->definition[i].piece);
}

/* Keeps what is reached from what is kept. Each name is followed once. */
static void
reach(struct source *s)
{
    size_t *begin = xcalloc(s->tokens.names + 1, sizeof *begin), d = 0;
    bool *followed = xcalloc(s->tokens.names + 1, sizeof *followed);

    if (s->definitions > 0)
        qsort(s->definition, s->definitions, sizeof *s->definition, definition_compare);
    for (size_t name = 0; name <= s->tokens.names; name++) {
        while (d < s->definitions && s->definition[d].name < name)
            d++;
        begin[name] = d;
    }
    for (size_t done = 0; done < s->todo_count; done++) {
        const struct piece *p = &s->piece[s->todo[done]];

        for (size_t i = p->first; i < p->end; i++) {
            const struct token *t = token_at(s, i);

            if (t->kind == TOKEN_NAME && !followed[t->name]) {
                followed[t->name] = true;
                keep_definers(s, begin, t->name);
            }
        }
    }
    free(followed);
    free(begin);
}

/* Decides which pieces are kept. */
static void
choose(struct source *s)
{
    s->todo = xcalloc(s->count + 1, sizeof *s->todo);
    for (size_t i = 0; i < s->count; i++)
        define_names(s, i);
    if (s->has_solve)
        reach(s);
    for (size_t i = 0; i < s->count && !s->has_solve; i++)
        s->piece[i].kept = true;
}

/* --- the digest ---------------------------------------------------------- */

static void
add_number(struct buf *out, const struct slice *text)
{
    for (size_t i = 0; i < text->len; i++) {
        const char c = (char)tolower((unsigned char)text->at[i]);

        if (c != '\'')
            buf_add(out, &c, 1);
    }
}

static bool
word_is_dropped(const struct slice *word)
{
    static const char *const WORDS[] = {"static",          "inline",       "const",
                                        "__forceinline__", "__restrict__", "__restrict"};

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (slice_is(word, WORDS[i]))
            return true;
    return false;
}

static void
add_piece_text(const struct source *s, const struct piece *p, struct buf *out)
{
    struct names names = {0};

    for (size_t i = p->first; i < p->end; i++) {
        const struct token *t = token_at(s, i);

        if (t->kind == TOKEN_WORD && word_is_dropped(&t->text))
            continue;
        if (t->kind == TOKEN_NAME)
            buf_printf(out, "@%zu", names_number(&names, &t->text));
        else if (t->kind == TOKEN_NUMBER)
            add_number(out, &t->text);
        else if (t->kind != TOKEN_END)
            buf_add(out, t->text.at, t->text.len);
        buf_puts(out, "\n");
    }
    names_free(&names);
}

void
digest_source(const char *text, size_t len, struct digest *out)
{
    struct source s = {0};
    struct pieces pieces = {0};
    struct digest made = {0};
    struct buf piece = {0};

    source_tokens_read(text, len, &s.tokens);
    cut(&s);
    choose(&s);
    for (size_t i = 0; i < s.count; i++) {
        if (!s.piece[i].kept)
            continue;
        add_piece_text(&s, &s.piece[i], &piece);
        pieces_add(&pieces, &piece);
        buf_clear(&piece);
        made.size += (int64_t)(s.piece[i].end - s.piece[i].first);
    }
    pieces_digest(&pieces, &made);
    *out = made.size > 0 ? made : (struct digest){0};
    buf_free(&piece);
    free(s.todo);
    free(s.definition);
    free(s.piece);
    source_tokens_free(&s.tokens);
}
