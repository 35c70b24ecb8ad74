/*
 * The digest of PTX. Its text is read token by token:
 *
 *     .visible .entry NAME ( .param .u64 NAME ) { ... mov.u32 %r4, %ntid.x; ... LABEL: }
 *
 * The first word of a statement is its opcode, which stays. Of the other words those that
 * begin with a point are types and directives, those that begin with % registers. The
 * rest are names of functions, variables and labels (PTX ISA, "Syntax").
 */
#include "compile/equal_pieces.h"

#include <ctype.h>
#include <string.h>

struct ptx_reader {
    const char *at, *end;
    struct buf piece;   /* the normalised text of the piece so far */
    struct names names; /* of the piece */
    struct pieces pieces;
    int braces, parentheses;
    bool begins;  /* the next word is a statement's first */
    bool kernels; /* there is one */
    int64_t statements;
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* Is the rest of the line that begins here a comment? */
static bool
at_comment(const struct ptx_reader *p, const char *mark)
{
    return p->end - p->at >= 2 && memcmp(p->at, mark, 2) == 0;
}

static void
skip_line(struct ptx_reader *p)
{
    while (p->at < p->end && *p->at != '\n')
        p->at++;
}

/* Skips to behind this character. */
static void
skip_behind(struct ptx_reader *p, char last)
{
    while (p->at < p->end && *p->at != last)
        p->at++;
    if (p->at < p->end)
        p->at++;
}

static void
skip_space(struct ptx_reader *p)
{
    while (p->at < p->end) {
        if (isspace((unsigned char)*p->at)) {
            p->at++;
        } else if (at_comment(p, "//")) {
            skip_line(p);
        } else if (at_comment(p, "/*")) {
            const char *close = memmem(p->at + 2, (size_t)(p->end - p->at - 2), "*/", 2);

            p->at = close != NULL ? close + 2 : p->end;
        } else {
            return;
        }
    }
}

static void
end_piece(struct ptx_reader *p)
{
    if (p->piece.len > 0)
        pieces_add(&p->pieces, &p->piece);
    buf_clear(&p->piece);
    names_free(&p->names);
}

/* Skips a directive that says nothing of what is computed. False for another word. */
static bool
skip_directive(struct ptx_reader *p, const struct slice *word)
{
    static const char *const LINES[] = {".version", ".target", ".address_size",
                                        ".file",    ".loc",    NULL};
    static const char *const WORDS[] = {".visible", ".weak", NULL};

    for (size_t i = 0; LINES[i] != NULL; i++)
        if (slice_is(word, LINES[i])) {
            skip_line(p);
            return true;
        }
    for (size_t i = 0; WORDS[i] != NULL; i++)
        if (slice_is(word, WORDS[i]))
            return true;
    if (slice_is(word, ".reg"))
        skip_behind(p, ';');
    else if (slice_is(word, ".section"))
        skip_behind(p, '}');
    else
        return false;
    p->begins = true;
    return true;
}

/* The letters of a register that nvcc has numbered, as 2 of %rd12; 0 for another word,
 * such as %tid.x. */
static size_t
register_letters(const struct slice *word)
{
    size_t letters = 1, digits;

    while (letters < word->len && isalpha((unsigned char)word->at[letters]))
        letters++;
    for (digits = letters; digits < word->len; digits++)
        if (!isdigit((unsigned char)word->at[digits]))
            return 0;
    return digits > letters && !slice_is(word, "%clock64") ? letters : 0;
}

static bool
is_label(struct ptx_reader *p)
{
    skip_space(p);
    return p->at < p->end && *p->at == ':';
}

static void
add_word(struct ptx_reader *p, const struct slice *word)
{
    const char first = word->at[0];
    const size_t letters = first == '%' ? register_letters(word) : 0;
    const bool opcode = p->begins && !is_label(p);

    if (letters > 0)
        buf_printf(&p->piece, "%.*s%zu ", (int)letters, word->at,
                   names_number(&p->names, word));
    else if (first == '.' || first == '%' || isdigit((unsigned char)first) || opcode)
        buf_printf(&p->piece, "%.*s ", (int)word->len, word->at);
    else
        buf_printf(&p->piece, "@%zu ", names_number(&p->names, word));
    p->kernels = p->kernels || slice_is(word, ".entry");
    p->begins = false;
}

static void
read_word(struct ptx_reader *p)
{
    struct slice word = {p->at, 0};

    while (p->at < p->end && is_word(*p->at))
        p->at++;
    word.len = (size_t)(p->at - word.at);
    if (!skip_directive(p, &word))
        add_word(p, &word);
}

static void
read_string(struct ptx_reader *p)
{
    const char *begin = p->at++;

    while (p->at < p->end && *p->at != '"' && *p->at != '\n')
        p->at += *p->at == '\\' && p->end - p->at > 1 ? 2 : 1;
    if (p->at < p->end)
        p->at++;
    buf_add(&p->piece, begin, (size_t)(p->at - begin));
}

/* A statement begins behind these, and a guard, @!%p1, is part of none. */
static void
read_mark(struct ptx_reader *p)
{
    const char c = *p->at++;
    const bool top = p->braces == 0 && p->parentheses == 0;

    p->braces += (c == '{') - (c == '}' && p->braces > 0);
    p->parentheses += (c == '(') - (c == ')' && p->parentheses > 0);
    if (c == ';' && top && p->piece.len == 0)
        return; /* behind what ended with a brace */
    buf_add(&p->piece, &c, 1);
    if (c == '@') {
        p->begins = false;
        skip_space(p);
        while (p->at < p->end && (*p->at == '!' || is_word(*p->at))) {
            if (*p->at == '!')
                buf_add(&p->piece, p->at++, 1);
            else
                read_word(p);
        }
        p->begins = true;
    } else if (c == ';' || c == '{' || c == '}' || c == ':') {
        p->begins = true;
    }
    p->statements += c == ';' && p->braces > 0;
    if (p->braces == 0 && p->parentheses == 0 && (c == ';' || c == '}'))
        end_piece(p);
}

void
digest_ptx(const char *text, size_t len, struct digest *out)
{
    struct ptx_reader p = {.at = text, .end = text + len, .begins = true};
    struct digest made = {0};

    for (skip_space(&p); p.at < p.end; skip_space(&p)) {
        if (*p.at == '"')
            read_string(&p);
        else if (is_word(*p.at))
            read_word(&p);
        else
            read_mark(&p);
    }
    end_piece(&p);
    buf_free(&p.piece);
    pieces_digest(&p.pieces, &made);
    made.size = p.statements;
    *out = p.kernels && made.size > 0 ? made : (struct digest){0};
}
