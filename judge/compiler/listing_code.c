/*
 * Both forms are read line by line. In PTX a place is
 *
 *     .loc 1 15 9
 *     .loc 2 422 9, function_name $L__info_string1, inlined_at 1 15 9
 *
 * where the numbers of files follow at the end. The disassembler names files itself. For
 * inlined code it prints a line for each place, the innermost first:
 *
 *     //## File "/build/vec.cu", line 5 inlined at "/build/vec.cu", line 15
 *     //## File "/build/vec.cu", line 15
 *             /0170/                   IMAD.MOV.U32 R11, RZ, RZ, 0x40000000 ;
 *
 * (with an asterisk at each slash of the address).
 */
#include "compiler/listing_code.h"

#include "base/buf.h"
#include "base/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a code that are read at most, whatever is told of them. */
#define CODE_READ_MAX ((size_t)32 << 20)
#define FILES_MAX 256
#define CALLS_MAX 4096
#define CALL_BUCKETS 1024
#define DEPTH_MAX 32

/* Where an instruction stems from. */
struct place {
    const char *file; /* the name without folders; it is not terminated. NULL: none */
    size_t file_len;
    long line;
};

/* A .loc directive's numbers. */
struct loc {
    long file, line, column;
};

/* An inlined place, and where it was inlined. */
struct call {
    struct loc inlined, at;
    int older; /* the number of the one before it in its bucket; 0: none */
};

struct reader {
    cJSON *functions;
    const char *own; /* the name of the source */
    struct place place;
    cJSON *code; /* of the function that is read; NULL: none is */
    cJSON *text; /* of the piece that grows; NULL: the next instruction begins one */
    size_t told;
    /* PTX */
    struct place file[FILES_MAX]; /* by number, where the line does not count */
    struct call call[CALLS_MAX];
    int calls;
    int bucket[CALL_BUCKETS]; /* by the inlined place: the number of the newest, from 1 */
    char *symbol; /* of a function whose body has not begun; NULL: there is none */
    bool is_kernel;
    int depth; /* of braces */
    /* The disassembler's */
    bool placed; /* the line before was a place, too */
};

static struct place
place_of(const char *path, size_t len)
{
    const char *slash = memrchr(path, '/', len);
    const size_t folders = slash != NULL ? (size_t)(slash - path) + 1 : 0;

    return (struct place){.file = path + folders, .file_len = len - folders};
}

static bool
place_is_own(const struct reader *r, const struct place *p)
{
    return p->file != NULL && strlen(r->own) == p->file_len &&
           memcmp(r->own, p->file, p->file_len) == 0;
}

static void
reader_set_place(struct reader *r, struct place p)
{
    if (p.line != r->place.line || p.file_len != r->place.file_len || p.file == NULL ||
        r->place.file == NULL || memcmp(p.file, r->place.file, p.file_len) != 0)
        r->text = NULL;
    r->place = p;
}

static void
reader_begin(struct reader *r, const char *symbol, bool is_kernel)
{
    cJSON *function = cJSON_CreateObject();

    cJSON_AddStringToObject(function, "symbol", symbol);
    cJSON_AddBoolToObject(function, "kernel", is_kernel);
    r->code = cJSON_AddArrayToObject(function, "code");
    cJSON_AddItemToArray(r->functions, function);
    r->text = NULL;
    r->place = (struct place){0};
}

static void
reader_begin_piece(struct reader *r)
{
    cJSON *piece = cJSON_CreateObject();

    if (r->place.file != NULL && !place_is_own(r, &r->place)) {
        char *name = strndup(r->place.file, r->place.file_len);

        cJSON_AddStringToObject(piece, "file", name != NULL ? name : "");
        free(name);
    }
    if (r->place.file != NULL)
        cJSON_AddNumberToObject(piece, "line", (double)r->place.line);
    r->told += LISTING_PIECE_BYTES;
    r->text = cJSON_AddArrayToObject(piece, "text");
    cJSON_AddItemToArray(r->code, piece);
}

/* Adds a line of code, in which each run of blanks becomes one. */
static void
reader_add(struct reader *r, const char *line, const char *end)
{
    struct buf text = {0};

    if (r->code == NULL)
        return;
    for (const char *p = line; p < end; p++) {
        if (!isspace((unsigned char)*p))
            buf_add(&text, p, 1);
        else if (text.len > 0 && p + 1 < end && !isspace((unsigned char)p[1]))
            buf_puts(&text, " ");
    }
    if (text.len > 0) {
        if (r->text == NULL)
            reader_begin_piece(r);
        cJSON_AddItemToArray(r->text, cJSON_CreateString(buf_str(&text)));
        r->told += text.len + LISTING_INSTRUCTION_BYTES;
    }
    buf_free(&text);
}

/* --- PTX ---------------------------------------------------------------- */

static bool
loc_equal(const struct loc *a, const struct loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static int *
loc_bucket(struct reader *r, const struct loc *loc)
{
    const unsigned long hash = (unsigned long)loc->line * 31 + (unsigned long)loc->file +
                               (unsigned long)loc->column * 7919;

    return &r->bucket[hash % CALL_BUCKETS];
}

static void
loc_add_call(struct reader *r, struct call call)
{
    int *newest = loc_bucket(r, &call.inlined);

    if (r->calls == CALLS_MAX)
        return;
    call.older = *newest;
    r->call[r->calls++] = call;
    *newest = r->calls;
}

/* The newest call of which this is the inlined place, or NULL. */
static const struct call *
loc_find_call(struct reader *r, const struct loc *loc)
{
    for (int i = *loc_bucket(r, loc); i > 0; i = r->call[i - 1].older)
        if (loc_equal(&r->call[i - 1].inlined, loc))
            return &r->call[i - 1];
    return NULL;
}

static bool
read_loc(const char **p, struct loc *out)
{
    char *end;

    out->file = strtol(*p, &end, 10);
    out->line = strtol(end, &end, 10);
    if (end == *p)
        return false;
    *p = end;
    out->column = strtol(end, &end, 10);
    *p = end;
    return true;
}

static struct place
loc_place(const struct reader *r, const struct loc *loc)
{
    struct place p = {0};

    if (loc->file >= 0 && loc->file < FILES_MAX)
        p = r->file[loc->file];
    p.line = loc->line;
    return p;
}

/* The place in the source to which code of this loc belongs. */
static struct place
loc_outward(struct reader *r, struct loc loc)
{
    const struct place innermost = loc_place(r, &loc);
    struct place p = innermost;

    for (int depth = 0; depth < DEPTH_MAX && !place_is_own(r, &p); depth++) {
        const struct call *call = loc_find_call(r, &loc);

        if (call == NULL)
            return innermost;
        loc = call->at;
        p = loc_place(r, &loc);
    }
    return place_is_own(r, &p) ? p : innermost;
}

static void
ptx_read_loc(struct reader *r, const char *p, const char *end)
{
    static const char words[] = "inlined_at ";
    const char *at =
        p < end ? memmem(p, (size_t)(end - p), words, sizeof words - 1) : NULL;
    struct call call;

    if (p >= end || !read_loc(&p, &call.inlined))
        return;
    if (at != NULL) {
        at += sizeof words - 1;
        if (read_loc(&at, &call.at))
            loc_add_call(r, call);
    }
    reader_set_place(r, loc_outward(r, call.inlined));
}

/* Notes `.file 1 "PATH"`. */
static void
ptx_read_file(struct reader *r, const char *p, const char *end)
{
    char *quote;
    const long number = strtol(p, &quote, 10);
    const char *close;

    quote += strspn(quote, " \t");
    if (number < 0 || number >= FILES_MAX || quote >= end || *quote != '"')
        return;
    close = memchr(quote + 1, '"', (size_t)(end - quote) - 1);
    if (close != NULL)
        r->file[number] = place_of(quote + 1, (size_t)(close - quote) - 1);
}

static const char *
word_in(const char *line, const char *end, const char *word)
{
    const char *at = memmem(line, (size_t)(end - line), word, strlen(word));

    return at != NULL ? at + strlen(word) : NULL;
}

/* Reads the head of a function, whose body may never follow. */
static void
ptx_read_head(struct reader *r, const char *line, const char *end)
{
    const char *kernel = word_in(line, end, ".entry "),
               *name = kernel != NULL ? kernel : word_in(line, end, ".func ");
    size_t len;

    if (name == NULL)
        return;
    name += strspn(name, " \t");
    if (kernel == NULL && *name == '(') { /* what it returns */
        name += strcspn(name, ")\n");
        name += strspn(name, ") \t");
    }
    len = strcspn(name, "( \t\n;");
    free(r->symbol);
    r->symbol = len > 0 ? strndup(name, len) : NULL;
    r->is_kernel = kernel != NULL;
}

/* A line that is none of code: a comment, a declaration of registers, which ptxas gives
 * others, or outside functions. True if it was one. */
static bool
ptx_read_other(struct reader *r, const char *p, const char *end)
{
    if (p == end || strncmp(p, "//", 2) == 0 || strncmp(p, ".reg", 4) == 0)
        return true;
    if (strncmp(p, ".loc", 4) == 0 && isspace((unsigned char)p[4])) {
        ptx_read_loc(r, p + 5, end);
        return true;
    }
    if (r->depth > 0)
        return false;
    ptx_read_head(r, p, end);
    if (*p != '{' || r->symbol == NULL) {
        if (end[-1] == ';') { /* only declared */
            free(r->symbol);
            r->symbol = NULL;
        }
        return true;
    }
    reader_begin(r, r->symbol, r->is_kernel);
    r->calls = 0;
    free(r->symbol);
    r->symbol = NULL;
    r->depth = 1;
    return true;
}

static void
ptx_read_line(struct reader *r, const char *line, const char *end)
{
    const char *p = line;

    while (p < end && isspace((unsigned char)*p))
        p++;
    while (end > p && isspace((unsigned char)end[-1]))
        end--;
    if (ptx_read_other(r, p, end))
        return;
    for (const char *c = p; c < end && strncmp(c, "//", 2) != 0; c++)
        r->depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
    if (r->depth > 0)
        reader_add(r, p, end);
    else
        r->code = NULL;
}

static void
ptx_read_files(struct reader *r, const char *code)
{
    const char *at = code;

    while ((at = strstr(at, "\n\t.file")) != NULL) {
        at += strlen("\n\t.file");
        ptx_read_file(r, at, strchrnul(at, '\n'));
    }
}

/* --- the disassembler's text -------------------------------------------- */

/* Reads `//## File "PATH", line N`. Of the lines of one place the first counts that is in
 * the source, or else the very first. */
static void
sass_read_place(struct reader *r, const char *p, const char *end)
{
    const char *path = word_in(p, end, "File \""),
               *close = path != NULL ? memchr(path, '"', (size_t)(end - path)) : NULL;
    const char *number = close != NULL ? word_in(close, end, "line ") : NULL;
    struct place place;

    if (number == NULL)
        return;
    place = place_of(path, (size_t)(close - path));
    place.line = strtol(number, NULL, 10);
    if (!r->placed || (place_is_own(r, &place) && !place_is_own(r, &r->place)))
        reader_set_place(r, place);
    r->placed = true;
}

/* Begins a function at `.section .text.NAME,"ax",@progbits`. */
static void
sass_read_section(struct reader *r, const char *p, const char *end)
{
    const char *name = word_in(p, end, ".text.");
    char *symbol = name != NULL ? strndup(name, strcspn(name, ",\n")) : NULL;

    r->code = NULL;
    if (symbol != NULL)
        reader_begin(r, symbol, true);
    free(symbol);
}

static void
sass_read_line(struct reader *r, const char *line, const char *end)
{
    const char *p = line;

    while (p < end && isspace((unsigned char)*p))
        p++;
    while (end > p && (isspace((unsigned char)end[-1]) || end[-1] == ';'))
        end--;
    if (strncmp(p, "//## ", 5) == 0) {
        sass_read_place(r, p, end);
        return;
    }
    r->placed = false;
    if (strncmp(p, ".section", 8) == 0) {
        sass_read_section(r, p, end);
    } else if (strncmp(p, "/*", 2) == 0 && isxdigit((unsigned char)p[2])) {
        const char *close = word_in(p, end, "*/");

        reader_add(r, close != NULL ? close : end, end);
    } else if (p < end && end[-1] == ':' && (strncmp(p, ".L", 2) == 0 || *p == '$')) {
        reader_add(r, p, end);
    }
}

bool
listing_code_add(cJSON *functions, enum listing_form form, const char *code,
                 const char *file, size_t bytes)
{
    struct reader *r = xcalloc(1, sizeof *r);
    const char *line = code, *end;
    bool left_out;

    r->functions = functions;
    r->own = file;
    if (form == LISTING_PTX)
        ptx_read_files(r, code);
    for (; *line != '\0' && r->told < bytes && (size_t)(line - code) < CODE_READ_MAX;
         line = *end != '\0' ? end + 1 : end) {
        end = strchrnul(line, '\n');
        if (form == LISTING_PTX)
            ptx_read_line(r, line, end);
        else
            sass_read_line(r, line, end);
    }
    left_out = *line != '\0';
    free(r->symbol);
    free(r);
    return left_out;
}
