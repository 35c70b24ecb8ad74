/*
 * The table (--page source --print-source cuda,sass) has a part for each file and each
 * launch:
 *
 *     "File Path","/build/vec.cu"
 *     "Function Name","add(const float *, ...)"
 *     "Line No","Source","Address","Source","# Samples",...   the columns, by name
 *     "12","...","-","-","981",...                            a line
 *     "","","0x7f..","  LDG.E R2, ...","162",...              an instruction of it
 */
#include "arbiter/profiling/ncu_lines.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 1024
#define COUNT_MAX 9e15 /* JSON has whole numbers up to there */
#define SECTOR_BYTES 32
#define LINE_NUMBER_MAX 10000000
#define WAITS_SHARE_TOLD 0.5
#define KERNEL_NAME_BYTES (sizeof((struct kernel_cost *)0)->name)

/* The columns, by their names in the table. */
#define COLUMNS(X)                                                                       \
    X(LINE, "Line No")                                                                   \
    X(SAMPLES, "# Samples")                                                              \
    X(INSTRUCTIONS, "Instructions Executed")                                             \
    X(LANES, "Thread Instructions Executed")                                             \
    X(DIVERGENT, "Divergent Branches")                                                   \
    X(SPACE, "Address Space")                                                            \
    X(OPERATION, "Access Operation")                                                     \
    X(WAVEFRONTS, "L1 Wavefronts Shared")                                                \
    X(WAVEFRONTS_IDEAL, "L1 Wavefronts Shared Ideal")                                    \
    X(SECTORS, "L2 Theoretical Sectors Global")                                          \
    X(SECTORS_IDEAL, "L2 Theoretical Sectors Global Ideal")

enum column {
#define X(id, name) COLUMN_##id,
    COLUMNS(X)
#undef X
        COLUMN_COUNT
};

static const char *const state_columns[] = {
#define X(name, column, words) column,
    NCU_STATES(X)
#undef X
};
static const char *const state_words[] = {
#define X(name, column, words) words,
    NCU_STATES(X)
#undef X
};
#define STATE_COUNT (sizeof state_columns / sizeof *state_columns)

/* The samples of a line. */
struct sampled {
    double all, state[STATE_COUNT];
};

/* Where reading stands. */
struct reader {
    const struct csv_table *source;
    struct ncu_lines *out;
    struct sampled *sampled; /* of each line of out */
    char file[sizeof(((struct line_cost *)0)->file)];
    bool wanted; /* this part is the kernel's */
    bool has[COLUMN_COUNT];
    size_t column[COLUMN_COUNT];
    bool has_state[STATE_COUNT];
    size_t state[STATE_COUNT];
    struct ncu_line *line; /* the line whose instructions come; NULL: none */
};

char *
ncu_kernel_name(const char *full)
{
    char *clean = xmalloc(KERNEL_NAME_BYTES);
    struct buf name = {0};
    size_t len, depth = 0;

    if (strncmp(full, "void ", 5) == 0)
        full += 5;
    len = strlen(full);
    for (size_t i = len; i > 0 && full[len - 1] == ')'; i--) {
        depth += full[i - 1] == ')';
        if (full[i - 1] == '(' && --depth == 0) {
            len = i - 1;
            break;
        }
    }
    buf_add(&name, full, len);
    utf8_clean_copy(clean, KERNEL_NAME_BYTES, buf_str(&name));
    buf_free(&name);
    return clean;
}

static double
amount(const struct csv_table *t, size_t row, size_t column)
{
    const double n = csv_table_number(t, row, column);

    return !(n > 0) ? 0 : n < COUNT_MAX ? n : COUNT_MAX;
}

static uint64_t
cell_count(const struct reader *r, size_t row, enum column column)
{
    return r->has[column] ? (uint64_t)amount(r->source, row, r->column[column]) : 0;
}

static bool
cell_is(const struct reader *r, size_t row, enum column column, const char *text)
{
    return r->has[column] &&
           strcmp(csv_table_cell(r->source, row, r->column[column]), text) == 0;
}

static void
take_file(struct reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');

    utf8_clean_copy(r->file, sizeof r->file, slash != NULL ? slash + 1 : path);
}

static void
take_function(struct reader *r, const char *full, const struct kernel_cost *kernel)
{
    char *name = ncu_kernel_name(full);

    r->wanted = strcmp(name, kernel->name) == 0;
    free(name);
}

static void
take_columns(struct reader *r, size_t row)
{
    static const char *const names[] = {
#define X(id, name) name,
        COLUMNS(X)
#undef X
    };

    for (int i = 0; i < COLUMN_COUNT; i++) {
        r->column[i] = 0;
        r->has[i] = csv_table_find(r->source, row, names[i], &r->column[i]);
    }
    for (size_t i = 0; i < STATE_COUNT; i++) {
        r->state[i] = 0;
        r->has_state[i] = csv_table_find(r->source, row, state_columns[i], &r->state[i]);
    }
}

/* The line of this number in the file, which is added if it is new. NULL: there are too
 * many, or it is no line. */
static struct ncu_line *
find_line(struct reader *r, double number)
{
    struct ncu_lines *l = r->out;

    if (!(number >= 1 && number <= LINE_NUMBER_MAX))
        return NULL;
    for (size_t i = 0; i < l->count; i++)
        if (l->line[i].cost.line == (int)number &&
            strcmp(l->line[i].cost.file, r->file) == 0)
            return &l->line[i];
    if (l->count == LINES_MAX)
        return NULL;
    l->line[l->count].cost.line = (int)number;
    snprintf(l->line[l->count].cost.file, sizeof l->line->cost.file, "%s", r->file);
    return &l->line[l->count++];
}

/* Adds what a row says of its whole line. */
static void
add_line(struct reader *r, size_t row)
{
    struct counters *c;
    struct sampled *s;

    r->line = find_line(r, csv_table_number(r->source, row, r->column[COLUMN_LINE]));
    if (r->line == NULL)
        return;
    c = &r->line->cost.counters;
    s = &r->sampled[r->line - r->out->line];
    s->all += (double)cell_count(r, row, COLUMN_SAMPLES);
    for (size_t i = 0; i < STATE_COUNT; i++)
        if (r->has_state[i])
            s->state[i] += amount(r->source, row, r->state[i]);
    c->warp_instructions += cell_count(r, row, COLUMN_INSTRUCTIONS);
    c->thread_instructions += cell_count(r, row, COLUMN_LANES);
    c->issue_slots = c->warp_instructions;
    c->divergent_branches += cell_count(r, row, COLUMN_DIVERGENT);
    c->shared_wavefronts += cell_count(r, row, COLUMN_WAVEFRONTS);
    c->shared_ideal += cell_count(r, row, COLUMN_WAVEFRONTS_IDEAL);
    c->global_sectors += cell_count(r, row, COLUMN_SECTORS);
    /* What would do is told in sectors. The advice reckons in bytes. */
    c->global_load_bytes += SECTOR_BYTES * cell_count(r, row, COLUMN_SECTORS_IDEAL);
}

/* Adds the requests of one instruction to its line. */
static void
add_instruction(struct reader *r, size_t row)
{
    const uint64_t executed = cell_count(r, row, COLUMN_INSTRUCTIONS);
    struct counters *c;

    if (r->line == NULL)
        return;
    c = &r->line->cost.counters;
    if (cell_is(r, row, COLUMN_SPACE, "Shared"))
        c->shared_requests += executed;
    if (!cell_is(r, row, COLUMN_SPACE, "Global"))
        return;
    c->global_requests += executed;
    if (!cell_is(r, row, COLUMN_OPERATION, "Load") &&
        !cell_is(r, row, COLUMN_OPERATION, "Store"))
        c->atomic_requests += executed;
}

static void
read_row(struct reader *r, size_t row, const struct kernel_cost *kernel)
{
    const char *first = csv_table_cell(r->source, row, 0);

    if (strcmp(first, "File Path") == 0) {
        take_file(r, csv_table_cell(r->source, row, 1));
        r->wanted = false;
    } else if (strcmp(first, "Function Name") == 0) {
        take_function(r, csv_table_cell(r->source, row, 1), kernel);
    } else if (strcmp(first, "Line No") == 0) {
        take_columns(r, row);
        r->line = NULL;
    } else if (r->wanted && first[0] != '\0') {
        add_line(r, row);
    } else if (r->wanted) {
        add_instruction(r, row);
    }
}

static int
by_time(const void *left, const void *right)
{
    const struct line_cost *a = &((const struct ncu_line *)left)->cost;
    const struct line_cost *b = &((const struct ncu_line *)right)->cost;

    if (a->ns == b->ns)
        return (a->counters.warp_instructions < b->counters.warp_instructions) -
               (a->counters.warp_instructions > b->counters.warp_instructions);
    return (a->ns < b->ns) - (a->ns > b->ns);
}

/* Says what the warps at a line mostly wait for, if they do. */
static void
find_wait(struct ncu_line *line, const struct sampled *s)
{
    for (size_t i = 0; i < STATE_COUNT; i++)
        if (strncmp(state_words[i], "waits", 5) == 0 && s->all > 0 &&
            s->state[i] <= s->all && s->state[i] >= WAITS_SHARE_TOLD * s->all &&
            s->state[i] / s->all > line->waits_share) {
            line->waits_share = s->state[i] / s->all;
            line->waits = state_words[i];
        }
}

/* Drops the lines of which nothing was executed. ncu tells those, too, from which the
 * compiler has made instructions. */
static void
drop_idle(struct reader *r)
{
    struct ncu_lines *l = r->out;
    size_t kept = 0;

    for (size_t i = 0; i < l->count; i++)
        if (l->line[i].cost.counters.warp_instructions > 0) {
            r->sampled[kept] = r->sampled[i];
            l->line[kept++] = l->line[i];
        }
    l->count = kept;
}

static uint64_t
scaled(uint64_t n, double by)
{
    const double product = (double)n * by;

    return (uint64_t)llround(product < COUNT_MAX ? product : COUNT_MAX);
}

/* The factor from what the table tells of all lines to what was measured of the kernel;
 * 0: the table tells of none. */
static double
factor(uint64_t measured, double told)
{
    return told > 0 ? (double)measured / told : 0;
}

/* Divides among the lines what was measured of the kernel: its requests and sectors, by
 * what the table tells of the instructions of each. The table itself tells more of them,
 * among others those of warps of which no lane took part. */
static void
share_out_requests(struct ncu_lines *l, const struct counters *kernel)
{
    double requests = 0, sectors = 0, shared = 0, atomics = 0;

    for (size_t i = 0; i < l->count; i++) {
        const struct counters *c = &l->line[i].cost.counters;

        requests += (double)c->global_requests;
        sectors += (double)c->global_sectors;
        shared += (double)c->shared_requests;
        atomics += (double)c->atomic_requests;
    }
    for (size_t i = 0; i < l->count; i++) {
        struct counters *c = &l->line[i].cost.counters;
        const double by = factor(kernel->global_sectors, sectors);

        c->l1_missed_sectors =
            scaled(c->global_sectors, factor(kernel->l1_missed_sectors, sectors));
        c->global_load_bytes = scaled(c->global_load_bytes, by);
        c->global_sectors = scaled(c->global_sectors, by);
        c->global_requests =
            scaled(c->global_requests, factor(kernel->global_requests, requests));
        c->shared_requests =
            scaled(c->shared_requests, factor(kernel->shared_requests, shared));
        c->atomic_requests =
            scaled(c->atomic_requests, factor(kernel->atomic_requests, atomics));
    }
}

/* Divides the kernel's time among the lines. A short kernel may have no samples; its
 * instructions then count. */
static void
share_out(struct reader *r, const struct kernel_cost *kernel)
{
    double samples = 0, instructions = 0;
    struct ncu_lines *l = r->out;

    for (size_t i = 0; i < l->count; i++) {
        samples += r->sampled[i].all;
        instructions += (double)l->line[i].cost.counters.warp_instructions;
    }
    for (size_t i = 0; i < l->count; i++) {
        struct line_cost *line = &l->line[i].cost;

        line->ns = kernel->ns * (samples > 0 ? r->sampled[i].all / samples
                                             : (double)line->counters.warp_instructions /
                                                   instructions);
        find_wait(&l->line[i], &r->sampled[i]);
    }
    share_out_requests(l, &kernel->counters);
    qsort(l->line, l->count, sizeof *l->line, by_time);
}

void
ncu_lines_read(const struct csv_table *source, const struct kernel_cost *kernel,
               struct ncu_lines *out)
{
    struct reader r = {
        .source = source, .out = out, .sampled = xcalloc(LINES_MAX, sizeof *r.sampled)};

    *out = (struct ncu_lines){.line = xcalloc(LINES_MAX, sizeof *out->line)};
    for (size_t row = 0; source != NULL && row < csv_table_rows(source); row++)
        read_row(&r, row, kernel);
    drop_idle(&r);
    share_out(&r, kernel);
    free(r.sampled);
}

void
ncu_lines_free(struct ncu_lines *l)
{
    free(l->line);
    *l = (struct ncu_lines){0};
}
