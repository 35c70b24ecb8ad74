/* Reads the window and the heat map of a wrong answer, and puts the map into words. */
#include "record/failure_grid.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53: a double is exact up to here */
#define VALUE_TEXT_MAX 40            /* bytes of a value that is a text */

/* Takes a whole number from 0 to `most`. */
static bool
grid_whole(const cJSON *item, double most, uint64_t *out)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
        !(item->valuedouble <= most) ||
        item->valuedouble != (double)(uint64_t)item->valuedouble)
        return false;
    *out = (uint64_t)item->valuedouble;
    return true;
}

static bool
grid_member(const cJSON *o, const char *key, double most, uint64_t *out)
{
    return grid_whole(cJSON_GetObjectItemCaseSensitive(o, key), most, out);
}

/* Finds out how many rows and columns a list of lists has: at least one of each, at most
 * so many, and all rows equally long. */
static bool
grid_size(const cJSON *list, int rows_max, int columns_max, int *rows, int *columns)
{
    const cJSON *row;

    if (!cJSON_IsArray(list))
        return false;
    *rows = cJSON_GetArraySize(list);
    *columns = cJSON_GetArraySize(cJSON_GetArrayItem(list, 0));
    if (*rows < 1 || *rows > rows_max || *columns < 1 || *columns > columns_max)
        return false;
    cJSON_ArrayForEach(row, list) if (!cJSON_IsArray(row) ||
                                      cJSON_GetArraySize(row) != *columns) return false;
    return true;
}

/* --- the window --------------------------------------------------------- */

static bool
window_is_values(const cJSON *list)
{
    const cJSON *row, *item;

    cJSON_ArrayForEach(row, list) cJSON_ArrayForEach(item, row)
    {
        if (!cJSON_IsNumber(item) &&
            !(cJSON_IsString(item) && strlen(item->valuestring) <= VALUE_TEXT_MAX))
            return false;
    }
    return true;
}

/* Takes the list of this name, which must be as large as the lists before it. Where it is
 * not there, *out is NULL. */
static bool
window_list(const cJSON *window, const char *key, struct failure_window *w,
            const cJSON **out)
{
    int rows, columns;

    *out = cJSON_GetObjectItemCaseSensitive(window, key);
    if (*out == NULL)
        return true;
    if (!grid_size(*out, WINDOW_ROWS, WINDOW_COLUMNS, &rows, &columns) ||
        (w->rows > 0 && (rows != w->rows || columns != w->columns)))
        return false;
    w->rows = rows;
    w->columns = columns;
    return true;
}

static bool
window_take_wrong(const cJSON *list, struct failure_window *w)
{
    const cJSON *row, *item;
    int i = 0, k;

    w->judged = list != NULL;
    cJSON_ArrayForEach(row, list)
    {
        k = 0;
        cJSON_ArrayForEach(item, row)
        {
            if (!cJSON_IsBool(item))
                return false;
            w->wrong[i][k++] = cJSON_IsTrue(item);
        }
        i++;
    }
    return true;
}

/* Places the window: it has the first wrong element, and is one of the matrix that
 * element is in. */
static bool
window_take_place(const cJSON *from, const cJSON *index, struct failure_window *w)
{
    uint64_t at[WINDOW_RANK_MAX];
    const int rank = cJSON_GetArraySize(from);
    const int row = rank - 2, column = rank - 1;

    if (rank < 1 || rank > WINDOW_RANK_MAX || cJSON_GetArraySize(index) != rank)
        return false;
    for (int k = 0; k < rank; k++) {
        if (!grid_whole(cJSON_GetArrayItem(from, k), WHOLE_MAX, &w->from[k]) ||
            !grid_whole(cJSON_GetArrayItem(index, k), WHOLE_MAX, &at[k]) ||
            at[k] < w->from[k] || (k < row && at[k] != w->from[k]))
            return false;
    }
    if (at[column] - w->from[column] >= (uint64_t)w->columns ||
        (row >= 0 ? at[row] - w->from[row] : 0) >= (uint64_t)w->rows)
        return false;
    w->rank = rank;
    w->row = row >= 0 ? (int)(at[row] - w->from[row]) : 0;
    w->column = (int)(at[column] - w->from[column]);
    return row >= 0 || w->rows == 1;
}

bool
failure_window_read(const cJSON *failure, struct failure_window *out)
{
    const cJSON *window = cJSON_GetObjectItemCaseSensitive(failure, "window"), *wrong;
    struct failure_window w = {0};

    if (!window_list(window, "wrong", &w, &wrong) ||
        !window_list(window, "got", &w, &w.got) ||
        !window_list(window, "want", &w, &w.want) || w.rows == 0 ||
        (w.got == NULL) != (w.want == NULL) || !window_is_values(w.got) ||
        !window_is_values(w.want) || !window_take_wrong(wrong, &w) ||
        !window_take_place(cJSON_GetObjectItemCaseSensitive(window, "from"),
                           cJSON_GetObjectItemCaseSensitive(failure, "index"), &w))
        return false;
    *out = w;
    return true;
}

const cJSON *
failure_window_value(const cJSON *rows, int row, int column)
{
    return cJSON_GetArrayItem(cJSON_GetArrayItem(rows, row), column);
}

/* --- the map ------------------------------------------------------------ */

uint64_t
failure_map_edge(uint64_t length, int cells, int cell)
{
    const uint64_t n = (uint64_t)cells, k = (uint64_t)cell;

    return (length / n) * k + ((length % n) * k + n - 1) / n;
}

static bool
map_take_shares(const cJSON *list, struct failure_map *m)
{
    const cJSON *row, *item;
    uint64_t share;
    int i = 0, k;

    if (!grid_size(list, MAP_CELLS, MAP_CELLS, &m->cell_rows, &m->cell_columns) ||
        (uint64_t)m->cell_rows > m->rows || (uint64_t)m->cell_columns > m->columns)
        return false;
    cJSON_ArrayForEach(row, list)
    {
        k = 0;
        cJSON_ArrayForEach(item, row)
        {
            if (!grid_whole(item, 100, &share))
                return false;
            m->share[i][k++] = (uint8_t)share;
        }
        i++;
    }
    return true;
}

/* Takes the two ends of the box along one side. */
static bool
map_take_ends(const cJSON *box, const char *key, uint64_t length, uint64_t *first,
              uint64_t *last)
{
    const cJSON *ends = cJSON_GetObjectItemCaseSensitive(box, key);

    return cJSON_GetArraySize(ends) == 2 &&
           grid_whole(cJSON_GetArrayItem(ends, 0), (double)(length - 1), first) &&
           grid_whole(cJSON_GetArrayItem(ends, 1), (double)(length - 1), last) &&
           *first <= *last;
}

bool
failure_map_read(const cJSON *failure, struct failure_map *out)
{
    const cJSON *map = cJSON_GetObjectItemCaseSensitive(failure, "map");
    const cJSON *box = cJSON_GetObjectItemCaseSensitive(map, "box");
    const cJSON *index = cJSON_GetObjectItemCaseSensitive(failure, "index");
    struct failure_map m = {.has_box = box != NULL};
    double count;

    if (cJSON_GetArraySize(index) > WINDOW_RANK_MAX ||
        !grid_member(map, "rows", WHOLE_MAX, &m.rows) ||
        !grid_member(map, "columns", WHOLE_MAX, &m.columns) || m.rows < 1 ||
        m.columns < 1)
        return false;
    count = (double)m.rows * (double)m.columns;
    if (count > WHOLE_MAX || !grid_member(map, "looked_at", count, &m.looked_at) ||
        !grid_member(map, "wrong", (double)m.looked_at, &m.wrong) ||
        !map_take_shares(cJSON_GetObjectItemCaseSensitive(map, "share"), &m))
        return false;
    if (box != NULL && (!map_take_ends(box, "rows", m.rows, &m.top, &m.bottom) ||
                        !map_take_ends(box, "columns", m.columns, &m.left, &m.right)))
        return false;
    m.three_levels = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(map, "three_levels"));
    *out = m;
    return true;
}

bool
failure_map_has_place(const struct failure_map *m)
{
    if (m->looked_at < m->rows * m->columns)
        return true;
    return m->has_box &&
           (m->bottom - m->top + 1 < m->rows || m->right - m->left + 1 < m->columns);
}

/* --- words -------------------------------------------------------------- */

/* Adds a number with a comma before each three digits. */
static void
words_number(struct buf *out, uint64_t n)
{
    char digits[24];
    const int len = snprintf(digits, sizeof digits, "%" PRIu64, n);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf_puts(out, ",");
        buf_add(out, &digits[i], 1);
    }
}

/* Adds "columns 992 to 1023", or "column 3". Indices have no commas, as in the source. */
static void
words_side(struct buf *out, const char *one, uint64_t first, uint64_t last)
{
    if (first == last)
        buf_printf(out, "%s %" PRIu64, one, first);
    else
        buf_printf(out, "%ss %" PRIu64 " to %" PRIu64, one, first, last);
}

/* Adds the box of an output with one dimension: "from [768] to [999]", or "at [3]". */
static void
words_run(struct buf *out, const struct failure_map *m)
{
    if (m->right - m->left + 1 == m->columns)
        return;
    if (m->left == m->right)
        buf_printf(out, ", at [%" PRIu64 "]", m->left);
    else
        buf_printf(out, ", all from [%" PRIu64 "] to [%" PRIu64 "]", m->left, m->right);
}

static void
words_box(struct buf *out, const struct failure_map *m)
{
    const bool rows = m->bottom - m->top + 1 < m->rows;
    const bool columns = m->right - m->left + 1 < m->columns;

    if (!rows && !columns)
        return;
    buf_puts(out, m->wrong == 1 ? ", in " : ", all in ");
    if (rows)
        words_side(out, "row", m->top, m->bottom);
    if (rows && columns)
        buf_puts(out, " and ");
    if (columns)
        words_side(out, "column", m->left, m->right);
}

void
failure_map_words(struct buf *out, const cJSON *failure, const struct failure_map *m)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(failure, "output");
    const cJSON *index = cJSON_GetObjectItemCaseSensitive(failure, "index");
    const uint64_t count = m->rows * m->columns;
    const int leading = cJSON_GetArraySize(index) - 2;

    buf_puts(out, cJSON_IsString(name) ? name->valuestring : "");
    for (int k = 0; k < leading; k++)
        buf_printf(out, "[%.0f]", cJSON_GetArrayItem(index, k)->valuedouble);
    buf_puts(out, ": ");
    if (m->wrong == m->looked_at && count > 1) {
        buf_puts(out, m->looked_at < count ? "all of the " : "all ");
    } else {
        words_number(out, m->wrong);
        buf_puts(out, " of ");
    }
    words_number(out, m->looked_at);
    buf_printf(out, " element%s", m->looked_at == 1 ? "" : "s");
    if (m->looked_at < count)
        buf_puts(out, " that were looked at");
    buf_puts(out, m->wrong == 1 ? " is wrong" : " are wrong");
    if (m->has_box && leading < 0)
        words_run(out, m);
    else if (m->has_box)
        words_box(out, m);
}
