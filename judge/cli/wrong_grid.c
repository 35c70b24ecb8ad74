#include "cli/wrong_grid.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/text.h"
#include "record/failure_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_COLUMNS 80
#define INDENT 2
#define GAP 2
#define EXPECTED "expected"
#define VALUE_BYTES 48

/* Digits of a value: usually, and where fewer would show two values as the same. */
#define DIGITS 6
#define DIGITS_EXACT 17

/* The window as texts, and which of its columns are printed. */
struct shown {
    const struct failure_window *window;
    char got[WINDOW_ROWS][WINDOW_COLUMNS][VALUE_BYTES];
    char want[WINDOW_ROWS][WINDOW_COLUMNS][VALUE_BYTES];
    char head[WINDOW_COLUMNS][VALUE_BYTES];
    int width[WINDOW_COLUMNS], label_width;
    int begin, end; /* of the columns; end is behind the last one */
};

/* --- texts -------------------------------------------------------------- */

static void
shown_value(const cJSON *value, int digits, char *text)
{
    if (cJSON_IsNumber(value))
        snprintf(text, VALUE_BYTES, "%.*g", digits, value->valuedouble);
    else
        snprintf(text, VALUE_BYTES, "%s",
                 cJSON_IsString(value) ? value->valuestring : "");
}

static bool
shown_is_wrong(const struct shown *s, int row, int column)
{
    const struct failure_window *w = s->window;

    return w->judged ? w->wrong[row][column] : row == w->row && column == w->column;
}

/* Writes both values of an element; what is wrong has a mark, and never looks right. */
static void
shown_element(struct shown *s, int row, int column)
{
    const cJSON *got = failure_window_value(s->window->got, row, column);
    const cJSON *want = failure_window_value(s->window->want, row, column);
    char *above = s->got[row][column], *below = s->want[row][column];
    const bool wrong = shown_is_wrong(s, row, column);

    shown_value(got, DIGITS, above);
    shown_value(want, DIGITS, below);
    if (wrong && strcmp(above, below) == 0) {
        shown_value(got, DIGITS_EXACT, above);
        shown_value(want, DIGITS_EXACT, below);
    }
    if (wrong)
        snprintf(above + strlen(above), VALUE_BYTES - strlen(above), "!");
}

static int
widest(int width, const char *text)
{
    const int own = text_width(text);

    return own > width ? own : width;
}

static void
shown_label(const struct failure_window *w, int row, char *text)
{
    if (w->rank > 1)
        snprintf(text, VALUE_BYTES, "[%ju]",
                 (uintmax_t)w->from[w->rank - 2] + (uintmax_t)row);
    else
        snprintf(text, VALUE_BYTES, "got");
}

static void
shown_fill(struct shown *s)
{
    const struct failure_window *w = s->window;
    char label[VALUE_BYTES];

    s->label_width = (int)strlen(EXPECTED);
    for (int y = 0; y < w->rows; y++) {
        shown_label(w, y, label);
        s->label_width = widest(s->label_width, label);
    }
    for (int x = 0; x < w->columns; x++) {
        snprintf(s->head[x], VALUE_BYTES, "[%ju]",
                 (uintmax_t)w->from[w->rank - 1] + (uintmax_t)x);
        s->width[x] = text_width(s->head[x]);
        for (int y = 0; y < w->rows; y++) {
            shown_element(s, y, x);
            s->width[x] = widest(s->width[x], s->got[y][x]);
            s->width[x] = widest(s->width[x], s->want[y][x]);
        }
    }
}

/* Takes columns around that of the first wrong element, as many as a line holds. */
static void
shown_choose_columns(struct shown *s, int line_width)
{
    int left = line_width - INDENT - s->label_width;
    bool grew = true;

    s->begin = s->end = s->window->column;
    while (grew) {
        grew = false;
        if (s->end < s->window->columns && s->width[s->end] + GAP <= left) {
            left -= s->width[s->end++] + GAP;
            grew = true;
        }
        if (s->begin > 0 && s->begin < s->end && s->width[s->begin - 1] + GAP <= left) {
            left -= s->width[--s->begin] + GAP;
            grew = true;
        }
    }
}

/* --- lines -------------------------------------------------------------- */

static void
print_cell(const struct terminal *t, const struct shown *s, int column, const char *text,
           enum style style)
{
    terminal_print(t, STYLE_PLAIN, "%*s", GAP + s->width[column] - text_width(text), "");
    terminal_print(t, style, "%s", text);
}

static void
print_label(const struct terminal *t, const struct shown *s, const char *label)
{
    terminal_print(t, STYLE_DIM, "%*s%*s%s", INDENT, "",
                   s->label_width - text_width(label), "", label);
}

/* Prints a row. What is expected stands below it, unless all of it is right. */
static void
print_row(const struct terminal *t, const struct shown *s, int row)
{
    bool is_right = s->window->judged && s->window->rows > 1;
    char label[VALUE_BYTES];

    shown_label(s->window, row, label);
    print_label(t, s, label);
    for (int x = s->begin; x < s->end; x++) {
        const bool wrong = shown_is_wrong(s, row, x);

        print_cell(t, s, x, s->got[row][x], wrong ? STYLE_BAD : STYLE_PLAIN);
        is_right = is_right && !wrong;
    }
    terminal_print(t, STYLE_PLAIN, "\n");
    if (is_right)
        return;
    print_label(t, s, EXPECTED);
    for (int x = s->begin; x < s->end; x++)
        print_cell(t, s, x, s->want[row][x], STYLE_DIM);
    terminal_print(t, STYLE_PLAIN, "\n");
}

static void
print_window(const struct terminal *t, const cJSON *failure,
             const struct failure_window *w)
{
    struct shown *s = xcalloc(1, sizeof *s);
    const cJSON *index;

    s->window = w;
    shown_fill(s);
    shown_choose_columns(s, t->cut && t->width < LINE_MAX_COLUMNS ? t->width
                                                                  : LINE_MAX_COLUMNS);
    terminal_print(t, STYLE_PLAIN, "\n%*saround %s", INDENT, "",
                   answer_string(failure, "output"));
    cJSON_ArrayForEach(index, answer_array(failure, "index"))
        terminal_print(t, STYLE_PLAIN, "[%.0f]", index->valuedouble);
    terminal_print(t, STYLE_PLAIN, w->judged ? " (! is wrong):\n" : ":\n");
    print_label(t, s, "");
    for (int x = s->begin; x < s->end; x++)
        print_cell(t, s, x, s->head[x], STYLE_DIM);
    terminal_print(t, STYLE_PLAIN, "\n");
    for (int y = 0; y < w->rows; y++)
        print_row(t, s, y);
    free(s);
}

static void
print_words(const struct terminal *t, const cJSON *failure, const struct failure_map *m)
{
    struct buf line = {0};

    buf_printf(&line, "%*s", INDENT, "");
    failure_map_words(&line, failure, m);
    terminal_print(t, STYLE_PLAIN, "\n");
    terminal_line(t, STYLE_PLAIN, INDENT, buf_str(&line));
    buf_free(&line);
}

void
wrong_grid_print(const struct terminal *t, const cJSON *failure)
{
    struct failure_window window;
    struct failure_map map;

    if (failure_window_read(failure, &window) && window.got != NULL &&
        window.rows * window.columns > 1)
        print_window(t, failure, &window);
    if (failure_map_read(failure, &map) && failure_map_has_place(&map))
        print_words(t, failure, &map);
}
