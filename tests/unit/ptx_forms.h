/*
 * One case for each form of a PTX instruction. The emulator's test (test_forms.c) and the
 * program that records what a GPU gives (tests/tools/record-forms.c) run the same PTX on
 * the same operands.
 *
 * A table, *.forms in tests/golden/ptx/forms, has a line for a form:
 *
 *     [~TOLERANCE] FORM RESULTS OPERAND... [: BODY]
 *
 * FORM is the opcode with its modifiers and types. "(u32/s32)" in it stands for several
 * lines, one with each word. RESULTS are one or two of p h w l (predicate, 16, 32 and 64
 * bits). Each OPERAND is a letter of the table of classes below. Without a BODY the
 * instruction is "FORM %d, %a, %b, ...;". In a BODY "@" stands for the form, and "@1" for
 * the first alternative's word. A BODY sees these registers:
 *
 *     %d %e           results
 *     %a %b %c %f     operands
 *     %g              the address of 32 bytes of global memory of the thread
 *     %s              the address of 32 bytes of shared memory
 *     %n              the address of 32 bytes that nobody writes
 *     %i              the thread
 *
 * Every form runs in CASES threads, in blocks of CASE_BLOCK. Only approximate functions
 * have a TOLERANCE:
 *
 *     uN              N units of the last place of f32
 *     hN, bN          the same of f16 and of bf16
 *     aX              X absolute of f32
 *     lX              X absolute of f32, or one unit of the last place
 *     dX              X relative of f64
 */
#ifndef TESTS_PTX_FORMS_H
#define TESTS_PTX_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CASES = 1024,
    CASE_BLOCK = 128,
    CASE_OPERANDS = 4,
    CASE_INPUT_BYTES = CASE_OPERANDS * CASES * 8,
    CASE_SCRATCH = 2 * CASES * 8, /* where the threads' own memory begins */
    CASE_OUTPUT_BYTES = CASE_SCRATCH + CASES * 32,
};

struct form_case {
    char line[800]; /* expanded: what the golden file's key is made of */
    char form[128];
    char results[3], operands[CASE_OPERANDS + 1];
    char body[600];
    char tolerance; /* 0, 'u' or 'a' */
    double bound;
};

struct form_cases {
    struct form_case *all;
    size_t count, max;
};

/* --- reading the tables -------------------------------------------------- */

static void
forms_die(const char *what, const char *line)
{
    fprintf(stderr, "%s: %s\n", what, line);
    exit(1);
}

/* "@" and "@1" of a body. */
static void
expand_body(struct form_case *c, const char *body, char words[][32])
{
    size_t n = 0;

    for (; *body != '\0' && *body != '\n'; body++) {
        const char *text = NULL;

        if (*body == '@' && body[1] >= '1' && body[1] <= '4')
            text = words[*++body - '1'];
        else if (*body == '@' && body[1] != '%' && body[1] != '!') /* not a guard */
            text = c->form;
        if (text != NULL)
            n += (size_t)snprintf(c->body + n, sizeof c->body - n, "%s", text);
        else
            c->body[n++] = *body;
        if (n + 2 > sizeof c->body)
            forms_die("a body is too long", c->form);
    }
    c->body[n] = '\0';
}

static void
default_body(struct form_case *c)
{
    static const char *const names[] = {", %a", ", %b", ", %c", ", %f"};
    size_t n = (size_t)snprintf(c->body, sizeof c->body, "%s %%d", c->form);

    if (c->results[1] != '\0')
        n += (size_t)snprintf(c->body + n, sizeof c->body - n, "|%%e");
    for (size_t i = 0; c->operands[i] != '\0'; i++)
        n += (size_t)snprintf(c->body + n, sizeof c->body - n, "%s", names[i]);
    snprintf(c->body + n, sizeof c->body - n, ";");
}

static void
add_case(struct form_cases *list, const char *line, char words[][32])
{
    struct form_case *c;
    const char *body = strstr(line, " : ");
    char head[256], *word, *save = NULL;
    size_t operands = 0;

    if (list->count == list->max) {
        list->max = list->max * 2 + 256;
        list->all = realloc(list->all, list->max * sizeof *list->all);
        if (list->all == NULL)
            forms_die("no memory", line);
    }
    c = &list->all[list->count++];
    *c = (struct form_case){0};
    snprintf(head, sizeof head, "%.*s",
             (int)(body != NULL ? (size_t)(body - line) : strcspn(line, "\n")), line);
    word = strtok_r(head, " ", &save);
    if (word != NULL && word[0] == '~') {
        c->tolerance = word[1];
        c->bound = strtod(word + 2, NULL);
        word = strtok_r(NULL, " ", &save);
    }
    snprintf(c->form, sizeof c->form, "%s", word != NULL ? word : "");
    word = strtok_r(NULL, " ", &save);
    if (word == NULL || strlen(word) > 2)
        forms_die("a line without results", line);
    snprintf(c->results, sizeof c->results, "%s", word);
    while ((word = strtok_r(NULL, " ", &save)) != NULL) {
        if (operands == CASE_OPERANDS || word[1] != '\0')
            forms_die("strange operands", line);
        c->operands[operands++] = word[0];
    }
    if (body != NULL)
        expand_body(c, body + 3, words);
    else
        default_body(c);
    snprintf(c->line, sizeof c->line, "%s %s %s : %s", c->form, c->results, c->operands,
             c->body);
}

/* Replaces the first "(a/b)" of the form by each of its words in turn. */
static void
expand_line(struct form_cases *list, const char *line, char words[][32], unsigned depth)
{
    const char *open = strchr(line, '('), *body = strstr(line, " : ");
    const char *close = open != NULL ? strchr(open, ')') : NULL, *at;

    if (open == NULL || close == NULL || (body != NULL && open > body)) {
        add_case(list, line, words);
        return;
    }
    if (depth == 4)
        forms_die("more than four alternatives", line);
    for (at = open; at < close;) {
        size_t len = strcspn(at + 1, "/)");
        char expanded[1024];

        snprintf(words[depth], sizeof words[depth], "%.*s", (int)len, at + 1);
        snprintf(expanded, sizeof expanded, "%.*s%s%s", (int)(open - line), line,
                 words[depth], close + 1);
        expand_line(list, expanded, words, depth + 1);
        at += len + 1;
    }
}

static inline void
read_forms(struct form_cases *list, const char *path)
{
    char line[900], words[4][32];
    FILE *f = fopen(path, "r");

    if (f == NULL)
        forms_die("cannot be opened", path);
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0')
            expand_line(list, line, words, 0);
    }
    fclose(f);
}

/* --- the PTX ------------------------------------------------------------- */

static const char *
register_type(char kind)
{
    switch (kind) {
    case 'p':
    case 'P':
        return "pred";
    case 'h':
    case 's':
    case 'F':
    case 'G':
        return "b16";
    case 'l':
    case 'd':
    case 'L':
    case 'N':
        return "b64";
    default:
        return "b32";
    }
}

/* The value of a register of 64 bits, as one of type, and back. */
static void
write_narrow(FILE *f, const char *to, const char *from, const char *type)
{
    if (strcmp(type, "pred") == 0)
        fprintf(f, "  and.b64 %s, %s, 1;\n  setp.ne.u64 %s, %s, 0;\n", from, from, to,
                from);
    else if (strcmp(type, "b64") == 0)
        fprintf(f, "  mov.b64 %s, %s;\n", to, from);
    else
        fprintf(f, "  cvt.u%s.u64 %s, %s;\n", type + 1, to, from);
}

static void
write_wide(FILE *f, const char *from, const char *type)
{
    if (strcmp(type, "pred") == 0)
        fprintf(f, "  selp.b64 %%x, 1, 0, %s;\n", from);
    else if (strcmp(type, "b64") == 0)
        fprintf(f, "  mov.b64 %%x, %s;\n", from);
    else
        fprintf(f, "  cvt.u64.u%s %%x, %s;\n", type + 1, from);
}

static void
write_case(FILE *f, const struct form_case *c, size_t number)
{
    static const char *const operands[] = {"%a", "%b", "%c", "%f"};
    static const char *const results[] = {"%d", "%e"};

    fprintf(f,
            ".visible .entry t%zu(.param .u64 po, .param .u64 pi)\n{\n"
            "  .reg .b64 %%x, %%out, %%in, %%g, %%n;\n  .reg .b32 %%i, %%t, %%s;\n"
            "  .shared .align 32 .b8 sh[%d];\n",
            number, CASE_BLOCK * 32);
    for (size_t i = 0; c->results[i] != '\0'; i++)
        fprintf(f, "  .reg .%s %s;\n", register_type(c->results[i]), results[i]);
    for (size_t i = 0; c->operands[i] != '\0'; i++)
        fprintf(f, "  .reg .%s %s;\n", register_type(c->operands[i]), operands[i]);
    fprintf(f,
            "  mov.u32 %%t, %%tid.x;\n  mov.u32 %%i, %%ctaid.x;\n"
            "  mad.lo.u32 %%i, %%i, %d, %%t;\n"
            "  mov.u32 %%s, sh;\n  mad.lo.u32 %%s, %%t, 32, %%s;\n"
            "  ld.param.u64 %%out, [po];\n  ld.param.u64 %%in, [pi];\n"
            "  cvta.to.global.u64 %%out, %%out;\n  cvta.to.global.u64 %%in, %%in;\n"
            "  mad.wide.u32 %%g, %%i, 32, %%out;\n  add.u64 %%g, %%g, %d;\n"
            "  mad.wide.u32 %%n, %%i, 32, %%in;\n"
            "  mad.wide.u32 %%in, %%i, 8, %%in;\n  mad.wide.u32 %%out, %%i, 8, %%out;\n",
            CASE_BLOCK, CASE_SCRATCH);
    for (size_t i = 0; c->operands[i] != '\0'; i++) {
        fprintf(f, "  ld.global.u64 %%x, [%%in+%zu];\n", i * CASES * 8);
        write_narrow(f, operands[i], "%x", register_type(c->operands[i]));
    }
    fprintf(f, "  %s\n", c->body);
    for (size_t i = 0; c->results[i] != '\0'; i++) {
        write_wide(f, results[i], register_type(c->results[i]));
        fprintf(f, "  st.global.u64 [%%out+%zu], %%x;\n", i * CASES * 8);
    }
    fprintf(f, "  ret;\n}\n");
}

/* Things that bodies refer to. */
static const char *const forms_prelude =
    ".const .align 16 .b32 table[8] = {1, 20, 300, 4000, 50000, 0xdeadbeef, 7, -8};\n"
    ".const .align 2 .s16 halves[4] = {1, -2, 0x7fff};\n"
    ".const .u64 large = 0xfedcba9876543210;\n"
    ".global .align 4 .u32 counter;\n"
    ".global .align 4 .s32 grid2[2][3] = {{1, 2}, {-3, (2 + 3) * 4, 0x10 | 1}};\n"
    ".global .align 4 .f32 floats[3] = {0f3F800000, -2.5, 1e-3};\n"
    ".global .align 8 .f64 doubles[3] = {1.5, 0dC000000000000000};\n"
    ".global .align 16 .v4 .f32 vector = {1.0, 2.0, -3.0, 4.5};\n"
    ".global .align 8 .u64 pointers[2] = {generic(table)+8, generic(grid2)};\n"
    ".global .align 1 .u8 pieces[2] = {0xFF(generic(grid2)), 0xFF00(generic(grid2))};\n"
    ".func (.param .b32 r) square(.param .b32 x)\n"
    "{\n  .reg .b32 %v;\n  ld.param.b32 %v, [x];\n  mul.lo.u32 %v, %v, %v;\n"
    "  st.param.b32 [r], %v;\n  ret;\n}\n"
    ".func (.param .b32 r) triple(.param .b32 x)\n"
    "{\n  .reg .b32 %v;\n  ld.param.b32 %v, [x];\n  mul.lo.u32 %v, %v, 3;\n"
    "  st.param.b32 [r], %v;\n  ret;\n}\n"
    ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 x[16])\n"
    "{\n  .reg .b64 %v<2>;\n  ld.param.b64 %v0, [x];\n"
    "  ld.param.b64 %v1, [x+8];\n"
    "  st.param.b64 [r], %v1;\n  st.param.b64 [r+8], %v0;\n  ret;\n}\n"
    ".func (.reg .b32 r) cube(.reg .b32 x)\n"
    "{\n  mul.lo.u32 r, x, x;\n  mul.lo.u32 r, r, x;\n  ret;\n}\n"
    ".func (.param .b64 r) widen(.param .s32 x)\n"
    "{\n  .reg .b64 %v;\n  ld.param.s32 %v, [x];\n  st.param.b64 [r], %v;\n  ret;\n}\n"
    ".func (.param .b32 r) factorial(.param .b32 x)\n"
    "{\n  .reg .b32 %v<3>;\n  .reg .pred %p;\n  .param .b32 y;\n  .param .b32 s;\n"
    "  ld.param.b32 %v0, [x];\n  setp.le.u32 %p, %v0, 1;\n  mov.u32 %v2, 1;\n"
    "  @%p bra END;\n  sub.u32 %v1, %v0, 1;\n  st.param.b32 [y], %v1;\n"
    "  call (s), factorial, (y);\n  ld.param.b32 %v1, [s];\n"
    "  mul.lo.u32 %v2, %v1, %v0;\nEND:\n  st.param.b32 [r], %v2;\n  ret;\n}\n"
    ".global .align 8 .u64 functions[2] = {square, triple};\n";

/* --- the operands -------------------------------------------------------- */

static const uint64_t special_integers[] = {
    0,          1,          2,          3,          31,         32,         33,
    63,         64,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,
    0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,   0x7fffffff, 0x80000000,
    0x80000001, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef,
};
static const uint64_t special_long[] = {
    0,
    1,
    2,
    31,
    32,
    63,
    64,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffff00000000,
    0x20000000000001,
    0x3fffffffffffff,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xfffffffffffffffe,
    0xffffffffffffffff,
    0xffffffff80000000,
    0x123456789abcdef0,
};
static const uint64_t special_f32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
    0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3f7fffff,
    0x3f800001, 0x4b000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x477fe000,
    0x477fefff, 0x477ff000, 0x33800000, 0x38800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x7fffffff, 0x00ffffff,
};
static const uint64_t special_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
    0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
    0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x3fefffffffffffff, 0x3ff0000000000001, 0x4330000000000001, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000200000, 0x43e0000000000000, 0xc3e0000000000000,
    0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x3690000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x7fffffffffffffff,
};
static const uint64_t special_f16[] = {
    0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3800,
    0xb800, 0x3e00, 0x4100, 0xc100, 0x3bff, 0x3c01, 0x7bff, 0xfbff, 0x7c00,
    0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x7fff, 0x57f8, 0x1400, 0x6800,
};
static const uint64_t special_bf16[] = {
    0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f00,
    0xbf00, 0x3fc0, 0x4020, 0xc020, 0x3f7f, 0x3f81, 0x7f7f, 0xff7f, 0x7f80,
    0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x7fff, 0x4f00, 0x3380, 0x4180,
};
static const uint64_t special_numbers[] = {
    0,  1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17,  23,  24,
    31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 200, 254, 255,
};

/* A xorshift generator: the same numbers everywhere. */
static uint64_t
forms_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A number of moderate size in a format of that many exponent and mantissa bits. */
static uint64_t
moderate_float(uint64_t r, unsigned exponent_bits, unsigned mantissa_bits)
{
    uint64_t bias = ((uint64_t)1 << (exponent_bits - 1)) - 1;
    uint64_t range = exponent_bits > 5 ? 24 : 10, mantissa = r >> 12, exponent;

    mantissa &= ((uint64_t)1 << mantissa_bits) - 1;
    if ((r & 2) != 0) /* few bits: sums and products have exact halves */
        mantissa &= ~(uint64_t)0 << (mantissa_bits / 2);
    exponent = bias - range / 2 + (r >> 2 & 0x3ff) % range;
    return (r & 1) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits |
           mantissa;
}

struct operand_class {
    char letter;
    const uint64_t *special;
    size_t count;
    unsigned exponent_bits, mantissa_bits; /* 0: integers */
};

#define SPECIAL(array) array, sizeof(array) / sizeof *(array)
static const struct operand_class operand_classes[] = {
    {'i', SPECIAL(special_integers), 0, 0}, {'s', SPECIAL(special_integers), 0, 0},
    {'L', SPECIAL(special_long), 0, 0},     {'P', SPECIAL(special_integers), 0, 0},
    {'n', SPECIAL(special_numbers), 0, 0},  {'N', SPECIAL(special_numbers), 0, 0},
    {'f', SPECIAL(special_f32), 8, 23},     {'d', SPECIAL(special_f64), 11, 52},
    {'F', SPECIAL(special_f16), 5, 10},     {'G', SPECIAL(special_bf16), 8, 7},
    {'x', SPECIAL(special_f16), 5, 10},     {'y', SPECIAL(special_bf16), 8, 7},
};

static uint64_t
operand_value(const struct operand_class *k, size_t t, size_t position, uint64_t *state)
{
    static const size_t strides[] = {1, 37, 11, 5};
    uint64_t r = forms_random(state), v;

    if (t % 4 != 3) { /* every pair of special values comes in 768 threads, or nearly */
        size_t n = t / 4 * 3 + t % 4;
        size_t index = position == 0 ? n : n / k->count + n * strides[position];

        return k->special[index % k->count];
    }
    if (k->letter == 'n' || k->letter == 'N')
        return r % 256;
    if (k->exponent_bits == 0 || t % 16 == 3)
        return r;
    v = moderate_float(r, k->exponent_bits, k->mantissa_bits);
    return v;
}

/* Fills CASE_INPUT_BYTES for a case. Letters: see the table; x and y are two halves. */
static void
fill_operands(const struct form_case *c, uint64_t *in)
{
    memset(in, 0, CASE_INPUT_BYTES);
    for (size_t k = 0; k < CASE_OPERANDS; k++) {
        const struct operand_class *class = operand_classes;
        uint64_t state = 0x9e3779b97f4a7c15u + k;
        char letter = k < strlen(c->operands) ? c->operands[k] : 'i'; /* %n reads all */

        while (class->letter != letter)
            if (++class == operand_classes + sizeof operand_classes / sizeof *class)
                forms_die("an operand's class is not known", c->line);
        for (size_t t = 0; t < CASES; t++) {
            uint64_t v = operand_value(class, t, k, &state);

            if (class->letter == 'x' || class->letter == 'y')
                v = (v & 0xffff) | operand_value(class, t + 5, k, &state) << 16;
            in[k * CASES + t] = v;
        }
    }
}

/* --- what was recorded --------------------------------------------------- */

static inline uint64_t
forms_hash(const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

#endif
