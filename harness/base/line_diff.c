/*
 * The algorithm is that of E. W. Myers, "An O(ND) Difference Algorithm and Its
 * Variations", section 4. An edit graph has a column for each line before and a row for
 * each line after. Diagonal k holds the places with x - y = k. For each number of changes
 * d the table has how far one gets on each diagonal. The way back through the tables
 * gives the changes.
 */
#include "base/line_diff.h"

#include "base/report.h"

#include <stdlib.h>
#include <string.h>

#define AROUND ((size_t)3) /* lines before and after a change */

struct text_line {
    const char *text;
    size_t len;
};

struct lines {
    struct text_line *line;
    size_t count;
};

static struct lines
lines_split(const char *text)
{
    struct lines l = {xcalloc(1, sizeof *l.line), 0};

    while (*text != '\0') {
        const size_t rest = strcspn(text, "\n"), len = rest + (text[rest] == '\n');

        if (l.count > 0 &&
            (l.count & (l.count - 1)) == 0) /* it is full at 1, 2, 4, ... */
            l.line = xrealloc(l.line, sizeof *l.line * 2 * l.count);
        l.line[l.count++] = (struct text_line){text, len};
        text += len;
    }
    return l;
}

static bool
line_equal(const struct text_line *a, const struct text_line *b)
{
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* --- the algorithm ------------------------------------------------------ */

/* What is compared: the lines between the common beginning and the common end. */
struct middle {
    const struct text_line *before, *after;
    long n, m;
};

/* Marks the changes among the middle's lines. False: they are too many. */
static bool
mark_changes(const struct middle *s, bool *gone, bool *added)
{
    const long most = s->n + s->m < DIFF_CHANGES_MAX ? s->n + s->m : DIFF_CHANGES_MAX;
    long **table = xcalloc((size_t)most + 1, sizeof(long *));
    long x = 0, y = 0, d = 0;
    bool found = false;

    for (; d <= most; d++) {
        /* The table of d has the diagonals from -d - 1 to d + 1. */
        long *far = xcalloc((size_t)(2 * d + 3), sizeof *far);
        const long *last = d > 0 ? table[d - 1] + d : NULL;

        table[d] = far;
        far += d + 1;
        for (long k = -d; k <= d && !found; k += 2) {
            if (d == 0)
                x = 0;
            else if (k == -d || (k != d && last[k - 1] < last[k + 1]))
                x = last[k + 1];
            else
                x = last[k - 1] + 1;
            y = x - k;
            while (x < s->n && y < s->m && line_equal(&s->before[x], &s->after[y])) {
                x++;
                y++;
            }
            far[k] = x;
            found = x >= s->n && y >= s->m;
        }
        if (found)
            break;
    }
    for (long back = d; found && back > 0; back--) {
        const long *last = table[back - 1] + back, k = x - y;
        const bool down = k == -back || (k != back && last[k - 1] < last[k + 1]);

        x = last[down ? k + 1 : k - 1];
        y = x - (down ? k + 1 : k - 1);
        if (down)
            added[y] = true;
        else
            gone[x] = true;
    }
    for (long i = 0; i <= most; i++)
        free(table[i]);
    free(table);
    return found;
}

/* --- the whole ---------------------------------------------------------- */

static void
diff_add(struct line_diff *d, enum diff_kind kind, const struct text_line *line,
         size_t before, size_t after)
{
    d->line[d->count++] =
        (struct diff_line){kind, kind != DIFF_NEW ? before + 1 : 0,
                           kind != DIFF_GONE ? after + 1 : 0, line->text, line->len};
    d->gone += kind == DIFF_GONE;
    d->added += kind == DIFF_NEW;
}

/* Lists the lines of both texts by the marks of their own lines. */
static void
diff_list(struct line_diff *d, const struct lines *a, const struct lines *b,
          const bool *gone, const bool *added)
{
    size_t i = 0, k = 0;

    d->line = xcalloc(a->count + b->count + 1, sizeof *d->line);
    while (i < a->count || k < b->count) {
        if (i < a->count && gone[i]) {
            diff_add(d, DIFF_GONE, &a->line[i], i, k);
            i++;
        } else if (k < b->count && added[k]) {
            diff_add(d, DIFF_NEW, &b->line[k], i, k);
            k++;
        } else {
            diff_add(d, DIFF_SAME, &b->line[k], i, k);
            i++;
            k++;
        }
    }
}

void
line_diff_make(const char *before, const char *after, struct line_diff *out)
{
    struct lines a = lines_split(before), b = lines_split(after);
    bool *gone = xcalloc(a.count + 1, sizeof *gone);
    bool *added = xcalloc(b.count + 1, sizeof *added);
    const size_t least = a.count < b.count ? a.count : b.count;
    size_t head = 0, tail = 0;
    struct middle s;

    *out = (struct line_diff){0};
    while (head < least && line_equal(&a.line[head], &b.line[head]))
        head++;
    while (tail < least - head &&
           line_equal(&a.line[a.count - 1 - tail], &b.line[b.count - 1 - tail]))
        tail++;
    s = (struct middle){a.line + head, b.line + head, (long)(a.count - head - tail),
                        (long)(b.count - head - tail)};
    if (!mark_changes(&s, gone + head, added + head)) {
        memset(gone + head, true, (size_t)s.n * sizeof *gone);
        memset(added + head, true, (size_t)s.m * sizeof *added);
    }
    diff_list(out, &a, &b, gone, added);
    free(gone);
    free(added);
    free(a.line);
    free(b.line);
}

void
line_diff_free(struct line_diff *d)
{
    free(d->line);
    *d = (struct line_diff){0};
}

/* --- the unified format ------------------------------------------------- */

/* The number before the first line of a hunk in one text, and how many lines it has. The
 * format counts from 1, and names the line before where there is none. */
static void
add_range(struct buf *out, char sign, size_t begin, size_t count)
{
    buf_printf(out, "%c%zu", sign, count > 0 ? begin + 1 : begin);
    if (count != 1)
        buf_printf(out, ",%zu", count);
}

/* Adds the lines from `first` to before `end`. `before` and `after` are how many lines of
 * each text precede them. */
static void
add_hunk(const struct line_diff *d, size_t first, size_t end, size_t before, size_t after,
         struct buf *out)
{
    static const char SIGNS[] = {[DIFF_SAME] = ' ', [DIFF_GONE] = '-', [DIFF_NEW] = '+'};
    size_t old_count = 0, new_count = 0;

    for (size_t i = first; i < end; i++) {
        old_count += d->line[i].kind != DIFF_NEW;
        new_count += d->line[i].kind != DIFF_GONE;
    }
    buf_puts(out, "@@ ");
    add_range(out, '-', before, old_count);
    buf_puts(out, " ");
    add_range(out, '+', after, new_count);
    buf_puts(out, " @@\n");
    for (size_t i = first; i < end; i++) {
        const struct diff_line *line = &d->line[i];

        buf_printf(out, "%c%.*s", SIGNS[line->kind], (int)line->len, line->text);
        if (line->text[line->len - 1] != '\n')
            buf_puts(out, "\n\\ No newline at end of file\n");
    }
}

/* The end of the hunk whose first change is at `change`: more than two times
 * AROUND lines without one end it. */
static size_t
hunk_end(const struct line_diff *d, size_t change)
{
    size_t last = change;

    for (size_t i = change; i < d->count && i - last <= 2 * AROUND + 1; i++)
        if (d->line[i].kind != DIFF_SAME)
            last = i;
    return last + 1 + AROUND < d->count ? last + 1 + AROUND : d->count;
}

void
line_diff_unified(const struct line_diff *d, const char *before_name,
                  const char *after_name, struct buf *out)
{
    size_t before = 0, after = 0, i = 0;

    if (d->gone + d->added > 0)
        buf_printf(out, "--- %s\n+++ %s\n", before_name, after_name);
    while (i < d->count) {
        size_t change = i, first, end;

        while (change < d->count && d->line[change].kind == DIFF_SAME)
            change++;
        if (change == d->count)
            break;
        first = change - i > AROUND ? change - AROUND : i;
        end = hunk_end(d, change);
        before += first - i;
        after += first - i;
        add_hunk(d, first, end, before, after, out);
        for (i = first; i < end; i++) {
            before += d->line[i].kind != DIFF_NEW;
            after += d->line[i].kind != DIFF_GONE;
        }
    }
}
