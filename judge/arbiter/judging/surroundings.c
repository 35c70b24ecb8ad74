#include "arbiter/judging/surroundings.h"

#include "arbiter/judging/findings.h"
#include "arbiter/judging/heat_map.h"
#include "numbers/compare_fn.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* How much of the window lies before the first wrong element, where there is as much.
 * Above it are only elements that are right, so that most rows are those below. */
#define WINDOW_ROWS_BEFORE 2
#define WINDOW_COLUMNS_BEFORE 4

/* A mixing constant (2^64 divided by the golden ratio). */
#define SCATTER UINT64_C(0x9e3779b97f4a7c15)

/* An output, and the matrix of it that has the first wrong element. */
struct view {
    struct device *device;
    const struct device_buffer *got, *want;
    const struct param *param;
    const struct extent *extent;
    struct compare_rule rule;
    uint64_t rows, columns;
    uint64_t base;        /* flat index of the matrix's first element in the output */
    uint64_t row, column; /* the first wrong element's, in the matrix */
    bool judged;          /* each element is right or wrong by itself */
};

static struct view
view_make(struct judgement *j, const struct trial *t,
          const struct outputs_finding *finding)
{
    const int param = finding->param;
    const struct extent *e = &t->set->extent[param];
    const enum compare_mode mode =
        problem_tolerance(j->problem, param, t->benchmark).mode;
    struct view v = {.device = j->device,
                     .got = t->set->copy[param],
                     .want = t->answer->known->buffer[param],
                     .param = &j->problem->param[param],
                     .extent = e,
                     .rule = outputs_rule(j->problem, param, t->benchmark),
                     .rows = e->rank > 1 ? e->dim[e->rank - 2] : 1,
                     .columns = e->dim[e->rank - 1],
                     .judged = mode != COMPARE_UNORDERED && mode != COMPARE_CHECKER};
    const uint64_t in_matrix = finding->result.first % (v.rows * v.columns);

    v.base = finding->result.first - in_matrix;
    v.row = in_matrix / v.columns;
    v.column = in_matrix % v.columns;
    return v;
}

/* Reads `count` elements of the matrix from `at` on, of both sides. */
static int
view_read(const struct view *v, uint64_t at, uint64_t count, void *got, void *want,
          struct report *r)
{
    const uint64_t size = dtype_size(v->param->type);
    const uint64_t offset = (v->base + at) * size;

    if (device_read(v->device, v->got, offset, count * size, got, r) != 0)
        return -1;
    return device_read(v->device, v->want, offset, count * size, want, r);
}

/* --- the window --------------------------------------------------------- */

/* Where a part of a side begins that has the index in it, with `before` elements before
 * it if the ends allow that. */
static uint64_t
window_begin(uint64_t index, uint64_t before, uint64_t length, uint64_t most)
{
    const uint64_t begin = index > before ? index - before : 0;

    if (length <= most)
        return 0;
    return begin < length - most ? begin : length - most;
}

static void
window_add_from(cJSON *window, const struct view *v, uint64_t top, uint64_t left)
{
    const struct extent *e = v->extent;
    uint64_t flat = v->base + top * v->columns + left;
    cJSON *from = cJSON_AddArrayToObject(window, "from");

    for (int k = e->rank - 1; k >= 0; k--) {
        cJSON_InsertItemInArray(from, 0, cJSON_CreateNumber((double)(flat % e->dim[k])));
        flat /= e->dim[k];
    }
}

/* Adds one row of the window to the lists that are told. */
static void
window_add_row(const struct view *v, uint64_t count, const void *got, const void *want,
               cJSON *wrong, cJSON *gots, cJSON *wants)
{
    const size_t size = dtype_size(v->param->type);
    cJSON *marks = cJSON_CreateArray(), *left = cJSON_CreateArray();
    cJSON *right = cJSON_CreateArray();

    for (uint64_t i = 0; i < count; i++) {
        cJSON_AddItemToArray(marks,
                             cJSON_CreateBool(!compare_element(&v->rule, got, want, i)));
        cJSON_AddItemToArray(
            left, findings_value(v->param->type, (const char *)got + i * size));
        cJSON_AddItemToArray(
            right, findings_value(v->param->type, (const char *)want + i * size));
    }
    cJSON_AddItemToArray(wrong, marks);
    cJSON_AddItemToArray(gots, left);
    cJSON_AddItemToArray(wants, right);
}

/* Adds the list to the window, or drops it where it is not told. */
static void
window_add_list(cJSON *window, const char *key, cJSON *list, bool is_told)
{
    if (is_told)
        cJSON_AddItemToObject(window, key, list);
    else
        cJSON_Delete(list);
}

/* Makes the window. Of an output whose elements are not judged one by one there are the
 * values only. */
static int
window_make(const struct view *v, bool values, cJSON **out, struct report *r)
{
    const uint64_t rows = v->rows < WINDOW_ROWS ? v->rows : WINDOW_ROWS;
    const uint64_t columns = v->columns < WINDOW_COLUMNS ? v->columns : WINDOW_COLUMNS;
    const uint64_t top = window_begin(v->row, WINDOW_ROWS_BEFORE, v->rows, WINDOW_ROWS);
    const uint64_t left =
        window_begin(v->column, WINDOW_COLUMNS_BEFORE, v->columns, WINDOW_COLUMNS);
    uint64_t got[WINDOW_COLUMNS], want[WINDOW_COLUMNS]; /* aligned for every type */
    cJSON *wrong = cJSON_CreateArray(), *gots = cJSON_CreateArray();
    cJSON *wants = cJSON_CreateArray(), *window = cJSON_CreateObject();
    int rc = 0;

    for (uint64_t i = 0; i < rows && rc == 0; i++) {
        rc = view_read(v, (top + i) * v->columns + left, columns, got, want, r);
        if (rc == 0)
            window_add_row(v, columns, got, want, wrong, gots, wants);
    }
    window_add_from(window, v, top, left);
    window_add_list(window, "wrong", wrong, v->judged);
    window_add_list(window, "got", gots, values);
    window_add_list(window, "want", wants, values);
    if (rc == 0)
        *out = window;
    else
        cJSON_Delete(window);
    return rc;
}

/* --- the heat map ------------------------------------------------------- */

struct block_choice
block_choice_make(uint64_t count, uint64_t first)
{
    struct block_choice c = {.blocks =
                                 (count + SURROUNDINGS_BLOCK - 1) / SURROUNDINGS_BLOCK,
                             .must = first / SURROUNDINGS_BLOCK};

    c.step = (c.blocks + SURROUNDINGS_BLOCKS - 1) / SURROUNDINGS_BLOCKS;
    return c;
}

uint64_t
block_choice_groups(const struct block_choice *c)
{
    return (c->blocks + c->step - 1) / c->step;
}

uint64_t
block_choice_block(const struct block_choice *c, uint64_t group)
{
    const uint64_t begin = group * c->step;
    const uint64_t left = c->blocks - begin;
    const uint64_t length = left < c->step ? left : c->step;

    if (c->must / c->step == group)
        return c->must;
    return begin + ((group * SCATTER) >> 32) % length;
}

static int
map_make(const struct view *v, bool three_levels, cJSON **out, struct report *r)
{
    const uint64_t count = v->rows * v->columns;
    const size_t bytes = SURROUNDINGS_BLOCK * dtype_size(v->param->type);
    const struct block_choice choice =
        block_choice_make(count, v->row * v->columns + v->column);
    void *got = xmalloc(bytes), *want = xmalloc(bytes);
    struct heat_map *m = xcalloc(1, sizeof *m);
    int rc = 0;

    heat_map_begin(m, v->rows, v->columns,
                   three_levels || choice.step > 1 ? MAP_CELLS_COARSE : MAP_CELLS);
    for (uint64_t g = 0; g < block_choice_groups(&choice) && rc == 0; g++) {
        const uint64_t at = block_choice_block(&choice, g) * SURROUNDINGS_BLOCK;
        const uint64_t left = count - at;
        const uint64_t n = left < SURROUNDINGS_BLOCK ? left : SURROUNDINGS_BLOCK;

        rc = view_read(v, at, n, got, want, r);
        if (rc == 0)
            heat_map_count(m, &v->rule, got, want, at, n);
    }
    if (rc == 0)
        *out = heat_map_json(m, three_levels);
    free(got);
    free(want);
    free(m);
    return rc;
}

/* --- both --------------------------------------------------------------- */

int
surroundings_add(struct judgement *j, const struct trial *t,
                 const struct outputs_finding *finding, struct report *r)
{
    const bool values = t->tells == TRIAL_TELLS_VALUES;
    cJSON *failure = j->outcome.failure, *item;
    struct view v;

    if (t->tells == TRIAL_TELLS_ELEMENT || failure == NULL)
        return 0;
    v = view_make(j, t, finding);
    if (values || v.judged) {
        if (window_make(&v, values, &item, r) != 0)
            return -1;
        cJSON_AddItemToObject(failure, "window", item);
    }
    if (!v.judged)
        return 0;
    if (map_make(&v, !values, &item, r) != 0)
        return -1;
    cJSON_AddItemToObject(failure, "map", item);
    return 0;
}
