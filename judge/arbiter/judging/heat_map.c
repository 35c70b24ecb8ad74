#include "arbiter/judging/heat_map.h"

#include "numbers/compare_fn.h"

#include <cjson/cJSON.h>

/* The share of a cell of which only some elements are wrong, where it says no more. */
#define SHARE_SOME 50

void
heat_map_begin(struct heat_map *m, uint64_t rows, uint64_t columns, int cells)
{
    *m = (struct heat_map){.rows = rows,
                           .columns = columns,
                           .cell_rows = rows < (uint64_t)cells ? (int)rows : cells,
                           .cell_columns =
                               columns < (uint64_t)cells ? (int)columns : cells,
                           .top = UINT64_MAX,
                           .left = UINT64_MAX};
}

/* The cell along a side in which an index lies. failure_map_edge() is its inverse. */
static int
heat_cell_of(uint64_t index, uint64_t length, int cells)
{
    return (int)(index * (uint64_t)cells / length);
}

static void
heat_widen(struct heat_map *m, uint64_t row, uint64_t column)
{
    m->top = row < m->top ? row : m->top;
    m->bottom = row > m->bottom ? row : m->bottom;
    m->left = column < m->left ? column : m->left;
    m->right = column > m->right ? column : m->right;
}

/* Counts a run of elements that lie in one row and in one cell. */
static void
heat_count_run(struct heat_map *m, struct heat_cell *cell,
               const struct compare_rule *rule, const void *got, const void *want,
               uint64_t first, uint64_t count, uint64_t row, uint64_t column)
{
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (compare_element(rule, got, want, first + i))
            continue;
        wrong++;
        heat_widen(m, row, column + i);
    }
    cell->wrong += wrong;
    cell->seen += count;
    m->wrong += wrong;
    m->seen += count;
}

void
heat_map_count(struct heat_map *m, const struct compare_rule *rule, const void *got,
               const void *want, uint64_t at, uint64_t count)
{
    for (uint64_t i = 0, run; i < count; i += run) {
        const uint64_t row = (at + i) / m->columns, column = (at + i) % m->columns;
        const int x = heat_cell_of(column, m->columns, m->cell_columns);
        const int y = heat_cell_of(row, m->rows, m->cell_rows);

        run = failure_map_edge(m->columns, m->cell_columns, x + 1) - column;
        run = run < count - i ? run : count - i;
        heat_count_run(m, &m->cell[y][x], rule, got, want, i, run, row, column);
    }
}

/* The share in percent. It is 0 only where nothing is wrong, and 100 only where all is.
 */
static int
heat_share(const struct heat_cell *c, bool three_levels)
{
    int share;

    if (c->wrong == 0)
        return 0;
    if (c->wrong == c->seen)
        return 100;
    share = (int)(100.0 * (double)c->wrong / (double)c->seen);
    return three_levels ? SHARE_SOME : share < 1 ? 1 : share > 99 ? 99 : share;
}

static void
heat_add_ends(cJSON *box, const char *key, uint64_t first, uint64_t last)
{
    const double ends[2] = {(double)first, (double)last};

    cJSON_AddItemToObject(box, key, cJSON_CreateDoubleArray(ends, 2));
}

cJSON *
heat_map_json(const struct heat_map *m, bool three_levels)
{
    cJSON *o = cJSON_CreateObject(), *rows, *box;

    cJSON_AddNumberToObject(o, "rows", (double)m->rows);
    cJSON_AddNumberToObject(o, "columns", (double)m->columns);
    cJSON_AddNumberToObject(o, "wrong", (double)m->wrong);
    cJSON_AddNumberToObject(o, "looked_at", (double)m->seen);
    if (three_levels)
        cJSON_AddTrueToObject(o, "three_levels");
    rows = cJSON_AddArrayToObject(o, "share");
    for (int y = 0; y < m->cell_rows; y++) {
        int share[MAP_CELLS];

        for (int x = 0; x < m->cell_columns; x++)
            share[x] = heat_share(&m->cell[y][x], three_levels);
        cJSON_AddItemToArray(rows, cJSON_CreateIntArray(share, m->cell_columns));
    }
    /* What was not looked at may be wrong outside of the box. */
    if (m->wrong > 0 && m->seen == m->rows * m->columns) {
        box = cJSON_AddObjectToObject(o, "box");
        heat_add_ends(box, "rows", m->top, m->bottom);
        heat_add_ends(box, "columns", m->left, m->right);
    }
    return o;
}
