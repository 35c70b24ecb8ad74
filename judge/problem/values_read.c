/* Reads descriptions of values, from JSON to struct value_spec. */
#include "problem/spec.h"
#include "problem/value_spec.h"

#include <math.h>
#include <string.h>

#define LIST_MAX 65536
#define LIST_DEPTH_MAX PROBLEM_RANK_MAX
#define CHOICE_MAX (GEN_LIST_MAX / 2)

static struct value_spec *
new_spec(struct spec *s, enum value_kind kind)
{
    struct value_spec *v = arena_alloc(s->arena, sizeof *v);

    v->kind = kind;
    return v;
}

/* Reads {"constant": c} and {"offsets": total}. */
static const struct value_spec *
read_one(struct spec *s, const struct at *at, const cJSON *item, enum value_kind kind)
{
    struct value_spec *v = new_spec(s, kind);

    v->a = spec_expr(s, at, item, EXPR_REAL);
    return v->a != NULL ? v : NULL;
}

/* Reads [a, b]. */
static struct value_spec *
read_pair(struct spec *s, const struct at *at, const cJSON *item, enum value_kind kind)
{
    struct value_spec *v = new_spec(s, kind);
    struct at first = {.up = at, .index = 0}, second = {.up = at, .index = 1};

    if (spec_array(s, at, item, 2, 2) != 0)
        return NULL;
    v->a = spec_expr(s, &first, item->child, EXPR_REAL);
    v->b = spec_expr(s, &second, item->child->next, EXPR_REAL);
    return v->a != NULL && v->b != NULL ? v : NULL;
}

static const struct value_spec *read_description(struct spec *s, const struct at *at,
                                                 const cJSON *item, int param,
                                                 bool reals);

/* --- lists -------------------------------------------------------------------------- */

/* How many numbers an array holds, also in arrays inside it. */
static int
count_numbers(const cJSON *array)
{
    int count = 0;

    for (const cJSON *item = array->child; item != NULL && count <= LIST_MAX;
         item = item->next)
        count += cJSON_IsArray(item) ? count_numbers(item) : 1;
    return count;
}

/* Reads a number, or a word for a value for which JSON has no number. */
static void
values_read_number(struct spec *s, const struct at *at, const cJSON *item,
                   enum dtype type, double *out)
{
    static const struct {
        const char *text;
        double value;
    } WORDS[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};

    for (size_t w = 0; cJSON_IsString(item) && w < sizeof WORDS / sizeof WORDS[0]; w++) {
        if (strcmp(item->valuestring, WORDS[w].text) != 0)
            continue;
        if (dtype_class(type) == CLASS_FLOAT &&
            (type != DTYPE_E4M3 || isnan(WORDS[w].value)))
            *out = WORDS[w].value;
        else
            spec_error(s, at, "%s has no \"%s\"", dtype_name(type), WORDS[w].text);
        return;
    }
    if (cJSON_IsString(item))
        spec_error(s, at, "must be a number, \"nan\", \"inf\" or \"-inf\", not \"%.40s\"",
                   item->valuestring);
    else
        spec_number(s, at, item, out);
}

/* Writes the numbers of nested arrays to out, row by row, and returns how many. */
static int
values_flatten(struct spec *s, const struct at *at, const cJSON *array, enum dtype type,
               int depth, double *out)
{
    int count = 0, index = 0;

    if (depth > LIST_DEPTH_MAX) {
        spec_error(s, at, "lists inside lists go %d deep at most", LIST_DEPTH_MAX);
        return 0;
    }
    for (const cJSON *item = array->child; item != NULL; item = item->next, index++) {
        struct at here = {.up = at, .index = index};

        if (cJSON_IsArray(item))
            count += values_flatten(s, &here, item, type, depth + 1, out + count);
        else
            values_read_number(s, &here, item, type, &out[count++]);
    }
    return count;
}

static struct value_spec *
values_read_list(struct spec *s, const struct at *at, const cJSON *item, int param,
                 enum value_kind kind)
{
    struct value_spec *v = new_spec(s, kind);
    const int before = s->errors;
    double *list;

    if (spec_array(s, at, item, 1, LIST_MAX) != 0)
        return NULL;
    v->count = count_numbers(item);
    if (v->count < 1 || v->count > LIST_MAX) {
        spec_error(s, at, "must hold 1 to %d numbers", LIST_MAX);
        return NULL;
    }
    list = arena_alloc(s->arena, (size_t)v->count * sizeof *list);
    v->list = list;
    values_flatten(s, at, item, s->problem->param[param].type, 1, list);
    return s->errors == before ? v : NULL;
}

/* Reads weights into running sums, of which the last is 1. */
static int
read_weights(struct spec *s, const struct at *up, const cJSON *object, int count,
             double *sums)
{
    struct at at = {.up = up, .key = "weights"};
    const cJSON *item = spec_member(s, up, object, "weights", true);
    double sum = 0;
    int i = 0;

    if (item == NULL || spec_array(s, &at, item, count, count) != 0)
        return -1;
    for (item = item->child; item != NULL; item = item->next, i++) {
        struct at here = {.up = &at, .index = i};
        double weight = 0;

        if (spec_number(s, &here, item, &weight) != 0)
            return -1;
        if (weight < 0) {
            spec_error(s, &here, "a weight is not negative");
            return -1;
        }
        sums[i] = sum += weight;
    }
    if (!(sum > 0 && isfinite(sum))) {
        spec_error(s, &at, "the weights must have a sum above 0");
        return -1;
    }
    for (i = 0; i < count; i++)
        sums[i] /= sum;
    return 0;
}

/* Reads {"choice": [v, ...]} or {"choice": {"of": [v, ...], "weights": [w, ...]}}. */
static const struct value_spec *
read_choice(struct spec *s, const struct at *at, const cJSON *item, int param)
{
    static const char *const KEYS[] = {"of", "weights", NULL};
    struct at of_at = {.up = at, .key = "of"};
    const bool weighted = cJSON_IsObject(item);
    const cJSON *of = item;
    struct value_spec *v;
    double *list;

    if (weighted && spec_object(s, at, item, KEYS) != 0)
        return NULL;
    if (weighted && (of = spec_member(s, at, item, "of", true)) == NULL)
        return NULL;
    v = values_read_list(s, weighted ? &of_at : at, of, param, VALUES_CHOICE);
    if (v == NULL)
        return NULL;
    if (v->count > CHOICE_MAX) {
        spec_error(s, at, "has %d values to choose from; at most %d can be", v->count,
                   CHOICE_MAX);
        return NULL;
    }
    list = arena_alloc(s->arena, 2 * (size_t)v->count * sizeof *list);
    memcpy(list, v->list, (size_t)v->count * sizeof *list);
    for (int i = 0; i < v->count; i++)
        list[v->count + i] = (double)(i + 1) / v->count;
    v->list = list;
    if (weighted && read_weights(s, at, item, v->count, list + v->count) != 0)
        return NULL;
    return v;
}

/* --- in terms of other descriptions ------------------------------------------------- */

static const struct value_spec *
read_other(struct spec *s, const struct at *at, const cJSON *item, int param, bool negate)
{
    struct value_spec *v = new_spec(s, VALUES_OTHER);
    const struct problem *p = s->problem;
    const char *name;

    if (spec_string(s, at, item, &name) != 0)
        return NULL;
    v->negate = negate;
    v->other = problem_param_index(p, name);
    if (v->other < 0 || p->param[v->other].dir == DIR_SCALAR ||
        p->param[v->other].dir == DIR_OUT) {
        spec_error(s, at, "there is no input buffer \"%.80s\"", name);
        return NULL;
    }
    if (p->param[v->other].type != p->param[param].type) {
        spec_error(s, at, "%s is %s, but %s is %s: only the same type can be repeated",
                   p->param[v->other].name, dtype_name(p->param[v->other].type),
                   p->param[param].name, dtype_name(p->param[param].type));
        return NULL;
    }
    return v;
}

static const struct value_spec *
read_mostly(struct spec *s, const struct at *at, const cJSON *object, int param)
{
    static const char *const KEYS[] = {"value", "share", "rest", NULL};
    struct value_spec *v = new_spec(s, VALUES_MOSTLY);
    struct at value_at = {.up = at, .key = "value"},
              share_at = {.up = at, .key = "share"};
    struct at rest_at = {.up = at, .key = "rest"};
    const cJSON *value, *share, *rest;

    if (spec_object(s, at, object, KEYS) != 0)
        return NULL;
    value = spec_member(s, at, object, "value", true);
    share = spec_member(s, at, object, "share", true);
    rest = spec_member(s, at, object, "rest", true);
    if (value == NULL || share == NULL || rest == NULL)
        return NULL;
    v->a = spec_expr(s, &value_at, value, EXPR_REAL);
    if (v->a == NULL || spec_number(s, &share_at, share, &v->share) != 0)
        return NULL;
    if (!(v->share >= 0 && v->share <= 1)) {
        spec_error(s, &share_at, "must be from 0 to 1, but is %.17g", v->share);
        return NULL;
    }
    v->rest = values_read(s, &rest_at, rest, param);
    if (v->rest == NULL)
        return NULL;
    if (v->rest->kind != VALUES_UNIFORM && v->rest->kind != VALUES_INTEGERS) {
        spec_error(s, &rest_at, "must be {\"uniform\": ...} or {\"integers\": ...}");
        return NULL;
    }
    return v;
}

/* Reads a description inside another one, from which "formula", "sorted" and "scatter"
 * start. */
static const struct value_spec *
read_inner(struct spec *s, const struct at *at, const cJSON *item, int param, bool reals,
           const enum value_kind *kinds, int kind_count, const char *known)
{
    const struct value_spec *v = read_description(s, at, item, param, reals);

    if (v == NULL)
        return NULL;
    for (int i = 0; i < kind_count; i++) {
        if (v->kind == kinds[i])
            return v;
    }
    spec_error(s, at, "must be %s here", known);
    return NULL;
}

static const struct value_spec *
read_sorted(struct spec *s, const struct at *at, const cJSON *item, int param,
            bool by_rows, bool reals)
{
    static const enum value_kind KINDS[] = {VALUES_UNIFORM, VALUES_INTEGERS};
    struct value_spec *v = new_spec(s, VALUES_SORTED);

    v->by_rows = by_rows;
    v->rest = read_inner(s, at, item, param, reals, KINDS, 2,
                         "{\"uniform\": ...} or {\"integers\": ...}");
    return v->rest != NULL ? v : NULL;
}

/* Reads {"count": nnz, "values": {...}}. */
static const struct value_spec *
read_scatter(struct spec *s, const struct at *at, const cJSON *object, int param)
{
    static const char *const KEYS[] = {"count", "values", NULL};
    static const enum value_kind KINDS[] = {
        VALUES_CONSTANT, VALUES_UNIFORM, VALUES_INTEGERS, VALUES_NORMAL, VALUES_CHOICE};
    struct value_spec *v = new_spec(s, VALUES_SCATTER);
    struct at count_at = {.up = at, .key = "count"},
              values_at = {.up = at, .key = "values"};
    const cJSON *count, *values;

    if (spec_object(s, at, object, KEYS) != 0)
        return NULL;
    count = spec_member(s, at, object, "count", true);
    values = spec_member(s, at, object, "values", true);
    if (count == NULL || values == NULL)
        return NULL;
    v->a = spec_expr(s, &count_at, count, EXPR_REAL);
    v->rest = read_inner(s, &values_at, values, param, false, KINDS,
                         sizeof KINDS / sizeof KINDS[0],
                         "constant, uniform, integers, normal or choice");
    return v->a != NULL && v->rest != NULL ? v : NULL;
}

/* The stream of a matrix, by which its parts belong together: the FNV-1a hash of its
 * name. */
static uint32_t
stream_of(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash | 0x80000000u; /* no parameter has such a stream */
}

/* Reads {"part": "row_offsets", "rows": M, "columns": N, "count": nnz, "matrix": "A"}. */
static const struct value_spec *
read_sparse(struct spec *s, const struct at *at, const cJSON *object)
{
    static const char *const KEYS[] = {"part",  "rows",   "columns",
                                       "count", "matrix", NULL};
    static const char *const PARTS[] = {[SPARSE_ROW_OFFSETS] = "row_offsets",
                                        [SPARSE_ROWS] = "rows",
                                        [SPARSE_COLUMNS] = "columns"};
    struct value_spec *v = new_spec(s, VALUES_SPARSE);
    const struct expr **const number[] = {&v->rows, &v->columns, &v->a};
    struct at part_at = {.up = at, .key = "part"}, name_at = {.up = at, .key = "matrix"};
    const char *part = NULL, *name = "";
    const cJSON *item;

    if (spec_object(s, at, object, KEYS) != 0)
        return NULL;
    for (int i = 0; i < 3; i++) {
        struct at here = {.up = at, .key = KEYS[1 + i]};

        item = spec_member(s, at, object, KEYS[1 + i], true);
        if (item == NULL || (*number[i] = spec_expr(s, &here, item, EXPR_REAL)) == NULL)
            return NULL;
    }
    item = spec_member(s, at, object, "matrix", false);
    if (item != NULL && spec_string(s, &name_at, item, &name) != 0)
        return NULL;
    v->stream = stream_of(name);
    item = spec_member(s, at, object, "part", true);
    if (item == NULL || spec_string(s, &part_at, item, &part) != 0)
        return NULL;
    for (int i = 0; i < 3; i++) {
        if (strcmp(part, PARTS[i]) == 0) {
            v->part = (enum sparse_part)i;
            return v;
        }
    }
    spec_error(s, &part_at,
               "must be \"row_offsets\", \"rows\" or \"columns\", not \"%.40s\"", part);
    return NULL;
}

/* The names that a formula for an element of `param` may use. */
static int
formula_names(const struct spec *s, int param, struct expr_name *names)
{
    static const char *const ELEMENT[] = {"value", "i",  "i0", "i1",
                                          "i2",    "i3", "i4", "i5"};
    const struct problem *p = s->problem;
    int count = 0;

    for (int i = 0; i < s->name_count; i++)
        names[count++] = s->names[i];
    for (int i = 0; i < p->param_count; i++) {
        if (i != param && (p->param[i].dir == DIR_IN || p->param[i].dir == DIR_INOUT))
            names[count++] =
                (struct expr_name){.name = p->param[i].name, .index = i, .buffer = true};
    }
    for (int i = 0; i < 2 + p->param[param].rank; i++)
        names[count++] =
            (struct expr_name){.name = ELEMENT[i], .index = ELEMENT_VALUE + i};
    return count;
}

/* Reads {"formula": "2 * i"} or {"formula": {"is": "2 * value", "value": {...}}}. */
static const struct value_spec *
read_formula(struct spec *s, const struct at *at, const cJSON *item, int param)
{
    static const char *const KEYS[] = {"is", "value", NULL};
    static const enum value_kind KINDS[] = {
        VALUES_UNIFORM,  VALUES_INTEGERS, VALUES_NORMAL, VALUES_CHOICE,
        VALUES_DISTINCT, VALUES_SORTED,   VALUES_CYCLE,  VALUES_LIST};
    struct value_spec *v = new_spec(s, VALUES_FORMULA);
    struct expr_name names[2 * PROBLEM_PARAMS_MAX + 2 + PROBLEM_RANK_MAX];
    struct at is_at = {.up = at, .key = "is"}, value_at = {.up = at, .key = "value"};
    const bool drawn = cJSON_IsObject(item);
    const cJSON *is = item, *value;
    struct report r = {0};
    const char *text;

    if (drawn) {
        if (spec_object(s, at, item, KEYS) != 0)
            return NULL;
        is = spec_member(s, at, item, "is", true);
        value = spec_member(s, at, item, "value", false);
        if (value != NULL &&
            (v->rest = read_inner(s, &value_at, value, param, true, KINDS,
                                  sizeof KINDS / sizeof KINDS[0],
                                  "uniform, integers, normal, choice, distinct, sorted, "
                                  "list or cycle")) == NULL)
            return NULL;
    }
    if (is == NULL || spec_string(s, drawn ? &is_at : at, is, &text) != 0)
        return NULL;
    v->formula = expr_parse(s->arena, text, EXPR_ELEMENT, names,
                            formula_names(s, param, names), &r);
    if (v->formula == NULL)
        spec_report(s, drawn ? &is_at : at, &r);
    return v->formula != NULL ? v : NULL;
}

/* --- the whole ---------------------------------------------------------------------- */

static const struct value_spec *
read_distinct(struct spec *s, const struct at *at, const cJSON *item, bool by_rows)
{
    struct value_spec *v = item != NULL ? read_pair(s, at, item, VALUES_DISTINCT)
                                        : new_spec(s, VALUES_DISTINCT);

    if (v != NULL)
        v->by_rows = by_rows;
    return v;
}

/* Reads "inputs.c" or {"inputs.c": what it starts from}. */
static const struct value_spec *
values_read_file(struct spec *s, const struct at *at, const cJSON *item, int param)
{
    struct value_spec *v = new_spec(s, VALUES_FILE);

    if (item == NULL)
        return v;
    v->rest = read_description(s, at, item, param, false);
    if (v->rest == NULL)
        return NULL;
    if (v->rest->kind != VALUES_OTHER && v->rest->kind != VALUES_FILE)
        return v;
    spec_error(s, at,
               "inputs.c can start from any values of its own, but not from "
               "another input's or a file's");
    return NULL;
}

static const struct value_spec *
read_keyed(struct spec *s, const struct at *at, const cJSON *item, int param, bool reals)
{
    static const char *const KEYS[] = {
        "constant", "uniform",     "integers", "normal",  "ramp",
        "list",     "cycle",       "choice",   "same",    "negate",
        "mostly",   "distinct",    "sorted",   "scatter", "distinct_rows",
        "sparse",   "sorted_rows", "offsets",  "formula", "inputs.c",
        NULL};
    static const struct {
        const char *key;
        enum value_kind kind;
    } PAIRS[] = {{"uniform", VALUES_UNIFORM},
                 {"integers", VALUES_INTEGERS},
                 {"normal", VALUES_NORMAL},
                 {"ramp", VALUES_RAMP}};
    const char *key = item->string;
    struct at here = {.up = at, .key = key};

    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        if (strcmp(key, PAIRS[i].key) == 0)
            return read_pair(s, &here, item, PAIRS[i].kind);
    }
    if (strcmp(key, "constant") == 0)
        return read_one(s, &here, item, VALUES_CONSTANT);
    if (strcmp(key, "offsets") == 0)
        return read_one(s, &here, item, VALUES_OFFSETS);
    if (strcmp(key, "list") == 0)
        return values_read_list(s, &here, item, param, VALUES_LIST);
    if (strcmp(key, "cycle") == 0)
        return values_read_list(s, &here, item, param, VALUES_CYCLE);
    if (strcmp(key, "choice") == 0)
        return read_choice(s, &here, item, param);
    if (strcmp(key, "same") == 0 || strcmp(key, "negate") == 0)
        return read_other(s, &here, item, param, key[0] == 'n');
    if (strcmp(key, "mostly") == 0)
        return read_mostly(s, &here, item, param);
    if (strcmp(key, "distinct") == 0 || strcmp(key, "distinct_rows") == 0)
        return read_distinct(s, &here, item, key[8] != '\0');
    if (strcmp(key, "sorted") == 0 || strcmp(key, "sorted_rows") == 0)
        return read_sorted(s, &here, item, param, key[6] != '\0', reals);
    if (strcmp(key, "scatter") == 0)
        return read_scatter(s, &here, item, param);
    if (strcmp(key, "sparse") == 0)
        return read_sparse(s, &here, item);
    if (strcmp(key, "formula") == 0)
        return read_formula(s, &here, item, param);
    if (strcmp(key, "inputs.c") == 0)
        return values_read_file(s, &here, item, param);
    spec_object(s, at, &(cJSON){.type = cJSON_Object, .child = (cJSON *)item}, KEYS);
    return NULL;
}

/* Reads "identity", "permutation", "permutation_rows" or "inputs.c". */
static const struct value_spec *
read_word(struct spec *s, const struct at *at, const char *word, const struct param *p)
{
    if (strcmp(word, "permutation") == 0 || strcmp(word, "permutation_rows") == 0)
        return read_distinct(s, at, NULL, word[11] != '\0');
    if (strcmp(word, "inputs.c") == 0)
        return values_read_file(s, at, NULL, 0);
    if (strcmp(word, "identity") != 0) {
        spec_error(s, at,
                   "must be \"identity\", \"permutation\", \"permutation_rows\" or "
                   "\"inputs.c\" where it is text, not \"%.40s\"",
                   word);
        return NULL;
    }
    if (p->rank == 2)
        return new_spec(s, VALUES_IDENTITY);
    spec_error(s, at, "only a matrix can be the identity; %s has %d dimension%s", p->name,
               p->rank, p->rank == 1 ? "" : "s");
    return NULL;
}

/* Reads a description. With `reals` its numbers may be real, because a formula turns them
 * into the buffer's type. */
static const struct value_spec *
read_description(struct spec *s, const struct at *at, const cJSON *item, int param,
                 bool reals)
{
    const struct param *p = &s->problem->param[param];
    const struct value_spec *v;

    if (cJSON_IsString(item))
        return read_word(s, at, item->valuestring, p);
    if (!cJSON_IsObject(item) || item->child == NULL || item->child->next != NULL) {
        spec_error(s, at,
                   "values are \"identity\" or an object with one key, such as "
                   "{\"uniform\": [-1, 1]}");
        return NULL;
    }
    v = read_keyed(s, at, item->child, param, reals);
    if (v != NULL && (v->kind == VALUES_UNIFORM || v->kind == VALUES_NORMAL) && !reals &&
        dtype_class(p->type) != CLASS_FLOAT) {
        spec_error(s, at, "\"%s\" makes real numbers, but %s is %s: use \"integers\"",
                   item->child->string, p->name, dtype_name(p->type));
        return NULL;
    }
    return v;
}

const struct value_spec *
values_read(struct spec *s, const struct at *at, const cJSON *item, int param)
{
    return read_description(s, at, item, param, false);
}
