/*
 * problem.json to struct problem, in this order, because each step needs the one before:
 *
 *   1 title, difficulty, tags, limits, arch: stand alone
 *   2 the parameters' names, types and directions (this step and the next:
 * problem_params.c) 3 shapes, values, tolerances: expressions over the scalars of 2 4
 * tests, benchmarks, work 5 problem_verify: what shows only at each test's sizes
 *
 * Where a step leaves errors that the next would only repeat, reading stops there.
 * docs/problem-format.md is the same from the author's side: change both, and raise
 * PROBLEM_FORMAT where an old spec would be read differently.
 */
#include "core/buf.h"
#include "core/file.h"
#include "core/json.h"
#include "core/spec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBLEM_FORMAT 1
#define SPEC_BYTES_MAX ((size_t)1 << 20)
#define TIME_LIMIT_DEFAULT_MS 10000
#define TIME_LIMIT_MAX_MS 600000
#define MEMORY_DEFAULT_MIB 16384
#define MEMORY_MAX_MIB 1048576

/* --- 1: what stands alone ----------------------------------------------------------- */

static void
read_text(struct spec *s, const cJSON *root, const char *key, const char **out)
{
    struct at at = {.key = key};
    const cJSON *item = spec_member(s, NULL, root, key, true);

    if (item != NULL)
        spec_string(s, &at, item, out);
}

static void
read_difficulty(struct spec *s, const cJSON *root)
{
    struct problem *p = s->problem;
    struct at at = {.key = "difficulty"};

    read_text(s, root, "difficulty", &p->difficulty);
    if (p->difficulty != NULL && strcmp(p->difficulty, "easy") != 0 &&
        strcmp(p->difficulty, "medium") != 0 && strcmp(p->difficulty, "hard") != 0)
        spec_error(s, &at, "must be \"easy\", \"medium\" or \"hard\", not \"%.40s\"",
                   p->difficulty);
}

static void
read_tags(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "tags"};
    const cJSON *item = spec_member(s, NULL, root, "tags", false);
    const char **tags;

    if (item == NULL || spec_array(s, &at, item, 0, 16) != 0)
        return;
    s->problem->tag_count = cJSON_GetArraySize(item);
    tags = arena_alloc(s->arena, sizeof *tags * (size_t)(s->problem->tag_count + 1));
    s->problem->tags = tags;
    item = item->child;
    for (int i = 0; i < s->problem->tag_count; i++, item = item->next) {
        struct at here = {.up = &at, .index = i};

        spec_string(s, &here, item, &tags[i]);
    }
}

static void
read_limits(struct spec *s, const cJSON *root)
{
    static const char *const KEYS[] = {"time_ms", "memory_mib", NULL};
    struct at at = {.key = "limits"};
    struct at time_at = {.up = &at, .key = "time_ms"};
    struct at memory_at = {.up = &at, .key = "memory_mib"};
    const cJSON *limits = spec_member(s, NULL, root, "limits", false);
    const cJSON *item;
    double time_ms = TIME_LIMIT_DEFAULT_MS, memory_mib = MEMORY_DEFAULT_MIB;

    if (limits != NULL && spec_object(s, &at, limits, KEYS) == 0) {
        if ((item = spec_member(s, &at, limits, "time_ms", false)) != NULL)
            spec_whole(s, &time_at, item, 1, TIME_LIMIT_MAX_MS, &time_ms);
        if ((item = spec_member(s, &at, limits, "memory_mib", false)) != NULL)
            spec_whole(s, &memory_at, item, 1, MEMORY_MAX_MIB, &memory_mib);
    }
    s->problem->time_limit_ms = (int)time_ms;
    s->problem->memory_limit = (size_t)memory_mib << 20;
}

/* "80", "90", "90a", "100f": what nvcc puts behind compute_. */
static void
read_arch(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "arch"};
    const cJSON *item = spec_member(s, NULL, root, "arch", false);
    const char *arch, *c;
    bool known;

    if (item == NULL || spec_string(s, &at, item, &arch) != 0)
        return;
    c = arch;
    while (isdigit((unsigned char)*c))
        c++;
    known = strcmp(c, "") == 0 || strcmp(c, "a") == 0 || strcmp(c, "f") == 0;
    if (c - arch < 2 || c - arch > 3 || !known)
        spec_error(
            s, &at,
            "must be a compute capability such as \"80\" or \"90a\", not \"%.20s\"",
            arch);
    else
        s->problem->arch = arch;
}

static void
read_gpus(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "gpus"};
    const cJSON *item = spec_member(s, NULL, root, "gpus", false);
    double gpus = 1;

    if (item != NULL)
        spec_whole(s, &at, item, 1, 2, &gpus);
    s->problem->gpus = (int)gpus;
}

static void
read_head(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "format"};
    const cJSON *item = spec_member(s, NULL, root, "format", true);
    double format;

    if (item != NULL && spec_number(s, &at, item, &format) == 0 &&
        format != PROBLEM_FORMAT)
        spec_error(s, &at, "is %.9g, but this judge reads format %d", format,
                   PROBLEM_FORMAT);
    read_text(s, root, "title", &s->problem->title);
    read_difficulty(s, root);
    read_tags(s, root);
    read_limits(s, root);
    read_arch(s, root);
    read_gpus(s, root);
    libraries_read(s, root);
}

/* --- 4: tests, benchmarks, work ----------------------------------------------------- */

/* The range of whole numbers that a scalar of this type can pass exactly. */
static void
type_bounds(enum dtype type, double *lo, double *hi)
{
    const int bits = (int)dtype_size(type) * 8;
    const bool is_signed = dtype_class(type) == CLASS_SIGNED;
    const double top = fmin(ldexp(1, is_signed ? bits - 1 : bits) - 1, ldexp(1, 53));

    *lo = is_signed ? fmax(-ldexp(1, bits - 1), -ldexp(1, 53)) : 0;
    *hi = top;
}

/* "0xFFFFFFFFFFFFFFFF" or "-9223372036854775808": what no JSON number holds. */
static int
read_wide(struct spec *s, const struct at *at, const cJSON *item, enum dtype type,
          uint64_t *out)
{
    const char *text = item->valuestring;
    const bool is_signed = dtype_class(type) == CLASS_SIGNED;
    char *end = NULL;

    errno = 0;
    if (isdigit((unsigned char)text[text[0] == '-']))
        *out = is_signed ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (end != NULL && *end == '\0' && errno == 0 && (is_signed || text[0] != '-'))
        return 0;
    spec_error(s, at, "\"%.40s\" is no whole number that fits %s", text,
               dtype_name(type));
    return -1;
}

/* An integer: a number up to 2^53, or for 64 bits all of them as text. */
static int
read_integer(struct spec *s, const struct at *at, const cJSON *item, enum dtype type,
             uint64_t *exact, double *value)
{
    double lo, hi;

    if (cJSON_IsString(item) && dtype_size(type) == 8) {
        if (read_wide(s, at, item, type, exact) != 0)
            return -1;
        *value =
            dtype_class(type) == CLASS_SIGNED ? (double)(int64_t)*exact : (double)*exact;
        return 0;
    }
    type_bounds(type, &lo, &hi);
    if (spec_whole(s, at, item, lo, hi, value) != 0)
        return -1;
    *exact = (uint64_t)(int64_t)*value;
    return 0;
}

static void
read_scalar(struct spec *s, const struct at *up, const cJSON *object, int index,
            struct test_case *t)
{
    const struct param *param = &s->problem->param[index];
    struct at at = {.up = up, .key = param->name};
    const cJSON *item = spec_member(s, up, object, param->name, true);
    double value = 0;
    int rc;

    if (item == NULL)
        return;
    if (dtype_class(param->type) == CLASS_FLOAT) {
        rc = spec_number(s, &at, item, &value);
        if (rc == 0 && param->type == DTYPE_F32 && !isfinite((float)value)) {
            spec_error(s, &at, "%.9g does not fit float32", value);
            rc = -1;
        }
    } else {
        rc = read_integer(s, &at, item, param->type, &t->exact[index], &value);
    }
    if (rc != 0)
        return;
    t->scalar[index] = value;
    if (value < param->min)
        spec_error(s, &at, "%.17g is below the parameter's minimum %.17g", value,
                   param->min);
    if (value > param->max)
        spec_error(s, &at, "%.17g is above the parameter's maximum %.17g", value,
                   param->max);
}

/* "inputs": what this test asks of inputs.c. Each text is kept once. */
static void
read_variant(struct spec *s, const struct at *up, const cJSON *object,
             struct test_case *t)
{
    struct problem *p = s->problem;
    struct at at = {.up = up, .key = "inputs"};
    const cJSON *item = spec_member(s, up, object, "inputs", false);
    const char *text;

    if (item == NULL || spec_string(s, &at, item, &text) != 0)
        return;
    for (t->variant = 0; t->variant < p->variant_count; t->variant++) {
        if (strcmp(p->variant[t->variant], text) == 0)
            return;
    }
    p->variant[p->variant_count++] = text;
}

static void
read_test_values(struct spec *s, const struct at *up, const cJSON *object,
                 struct test_case *t)
{
    struct at at = {.up = up, .key = "values"};

    if (!cJSON_IsObject(object)) {
        spec_error(s, &at, "must be an object: {\"INPUT\": values}");
        return;
    }
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        struct at here = {.up = &at, .key = item->string};
        int index = problem_param_index(s->problem, item->string);

        if (index < 0 || (s->problem->param[index].dir != DIR_IN &&
                          s->problem->param[index].dir != DIR_INOUT))
            spec_error(s, &here, "there is no input buffer \"%.80s\"", item->string);
        else if (t->values[index] != NULL)
            spec_error(s, &at, "the key \"%s\" is there twice", item->string);
        else
            t->values[index] = values_read(s, &here, item, index);
    }
}

/* One object of "tests", or a benchmark, which is never a sample. */
static void
read_test(struct spec *s, const struct at *at, const cJSON *object, bool benchmark,
          struct test_case *t)
{
    const char *keys[PROBLEM_PARAMS_MAX + 5];
    struct at about_at = {.up = at, .key = "about"},
              sample_at = {.up = at, .key = "sample"},
              inputs_at = {.up = at, .key = "inputs"};
    const cJSON *item;
    int count = 0;

    for (int i = 0; i < s->name_count; i++)
        keys[count++] = s->names[i].name;
    keys[count++] = "about";
    keys[count++] = "values";
    keys[count++] = "inputs";
    if (!benchmark)
        keys[count++] = "sample";
    keys[count] = NULL;
    spec_object(s, at, object, keys);
    if (!cJSON_IsObject(object))
        return;
    for (int i = 0; i < s->name_count; i++)
        read_scalar(s, at, object, s->names[i].index, t);
    if ((item = spec_member(s, at, object, "about", false)) != NULL)
        spec_string(s, &about_at, item, &t->about);
    if (!benchmark && (item = spec_member(s, at, object, "sample", false)) != NULL)
        spec_bool(s, &sample_at, item, &t->sample);
    if ((item = spec_member(s, at, object, "values", false)) != NULL)
        read_test_values(s, at, item, t);
    read_variant(s, at, object, t);
    if (t->variant != 0 && !problem_uses_inputs_c(s->problem, t))
        spec_error(s, &inputs_at, "no input of this test has the values \"inputs.c\"");
}

static void
read_tests(struct spec *s, const cJSON *root)
{
    struct problem *p = s->problem;
    struct at at = {.key = "tests"};
    const cJSON *tests = spec_member(s, NULL, root, "tests", true);

    if (tests == NULL || spec_array(s, &at, tests, 1, PROBLEM_TESTS_MAX) != 0)
        return;
    p->test_count = cJSON_GetArraySize(tests);
    p->test = arena_alloc(s->arena, (size_t)p->test_count * sizeof *p->test);
    tests = tests->child;
    for (int i = 0; i < p->test_count; i++, tests = tests->next) {
        struct at here = {.up = &at, .index = i};

        read_test(s, &here, tests, false, &p->test[i]);
    }
}

static void
read_benchmark(struct spec *s, const cJSON *root)
{
    static const char *const KEYS[] = {"cuda", "emu", NULL};
    struct at at = {.key = "benchmark"};
    struct at cuda_at = {.up = &at, .key = "cuda"}, emu_at = {.up = &at, .key = "emu"};
    const cJSON *benchmark = spec_member(s, NULL, root, "benchmark", true);
    const cJSON *cuda, *emu;

    if (benchmark == NULL || spec_object(s, &at, benchmark, KEYS) != 0)
        return;
    cuda = spec_member(s, &at, benchmark, "cuda", true);
    emu = spec_member(s, &at, benchmark, "emu", true);
    if (cuda != NULL)
        read_test(s, &cuda_at, cuda, true, &s->problem->benchmark_cuda);
    if (emu != NULL)
        read_test(s, &emu_at, emu, true, &s->problem->benchmark_emu);
}

static void
read_unit(struct spec *s, const struct at *up, const cJSON *object)
{
    static const char *const UNITS[] = {"fp64", "fp32", "tf32",  "fp16", "bf16",
                                        "fp8",  "fp4",  "int32", "int8", "int4"};
    struct at at = {.up = up, .key = "unit"};
    const cJSON *item = spec_member(s, up, object, "unit", true);
    const char *text;

    if (item == NULL || spec_string(s, &at, item, &text) != 0)
        return;
    for (size_t u = 0; u < sizeof UNITS / sizeof UNITS[0]; u++) {
        if (strcmp(text, UNITS[u]) == 0) {
            s->problem->work_unit = UNITS[u];
            return;
        }
    }
    spec_error(
        s, &at,
        "must be one of fp64, fp32, tf32, fp16, bf16, fp8, fp4, int32, int8, int4, "
        "not \"%.40s\"",
        text);
}

static void
read_work(struct spec *s, const cJSON *root)
{
    static const char *const KEYS[] = {"bytes", "flops", "unit", NULL};
    struct at at = {.key = "work"};
    struct at bytes_at = {.up = &at, .key = "bytes"},
              flops_at = {.up = &at, .key = "flops"};
    const cJSON *work = spec_member(s, NULL, root, "work", false), *item;

    if (work == NULL || spec_object(s, &at, work, KEYS) != 0)
        return;
    if ((item = spec_member(s, &at, work, "bytes", false)) != NULL)
        s->problem->work_bytes = spec_expr(s, &bytes_at, item, EXPR_REAL);
    if ((item = spec_member(s, &at, work, "flops", false)) != NULL) {
        s->problem->work_flops = spec_expr(s, &flops_at, item, EXPR_REAL);
        read_unit(s, &at, work);
    }
}

/* --- the whole ---------------------------------------------------------------------- */

static void
read_root(struct spec *s, const cJSON *root)
{
    static const char *const KEYS[] = {"format",  "title",     "difficulty", "tags",
                                       "params",  "compare",   "tests",      "benchmark",
                                       "work",    "limits",    "arch",       "gpus",
                                       "accepts", "libraries", NULL};
    int before;

    spec_object(s, NULL, root, KEYS);
    if (!cJSON_IsObject(root))
        return;
    read_head(s, root);
    before = s->errors;
    params_read(s, root);
    if (s->errors != before)
        return;
    accepts_read(s, root);
    tolerances_read(s, root);
    read_tests(s, root);
    read_benchmark(s, root);
    read_work(s, root);
    if (s->errors == 0)
        problem_verify(s);
}

/* How many bytes the UTF-8 sequence at `at` has (RFC 3629, section 4); 0: it is none. */
static size_t
utf8_sequence(const unsigned char *at, size_t left)
{
    static const struct {
        unsigned char first_lo, first_hi, second_lo, second_hi;
        size_t bytes;
    } ROWS[] = {{0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2},
                {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4},
                {0xF4, 0xF4, 0x80, 0x8F, 4}};

    for (size_t row = 0; row < sizeof ROWS / sizeof ROWS[0]; row++) {
        if (at[0] < ROWS[row].first_lo || at[0] > ROWS[row].first_hi)
            continue;
        if (ROWS[row].bytes > left)
            return 0;
        if (ROWS[row].bytes > 1 &&
            (at[1] < ROWS[row].second_lo || at[1] > ROWS[row].second_hi))
            return 0;
        for (size_t k = 2; k < ROWS[row].bytes; k++) {
            if ((at[k] & 0xC0) != 0x80)
                return 0;
        }
        return ROWS[row].bytes;
    }
    return 0;
}

static bool
is_utf8(const char *text, size_t len)
{
    size_t step;

    for (size_t i = 0; i < len; i += step) {
        step = utf8_sequence((const unsigned char *)text + i, len - i);
        if (step == 0)
            return false;
    }
    return true;
}

/* "problem.json:5: not valid JSON here", as the JSON parser says it: place and sentence.
 */
static void
parse_error(struct spec *s, char *message)
{
    char *colon = strstr(message, ": ");

    *colon = '\0';
    s->errors++;
    s->on_error(s->context, message, colon + 2);
}

struct problem *
problem_parse(const char *slug, const char *folder, const char *text, size_t len,
              problem_error_fn *on_error, void *context, int *errors)
{
    struct arena *arena = arena_new();
    struct problem *p = arena_alloc(arena, sizeof *p);
    struct spec s = {
        .problem = p, .arena = arena, .on_error = on_error, .context = context};
    struct report r = {0};
    cJSON *root = NULL;

    p->arena = arena;
    p->variant[p->variant_count++] = "";
    p->slug = arena_strdup(arena, slug);
    p->folder = arena_strdup(arena, folder != NULL ? folder : "");
    if (!is_utf8(text, len)) {
        report_fail(&r, "problem.json: is not UTF-8 text");
        parse_error(&s, r.text);
    } else if ((root = json_parse(text, len, "problem.json", &r)) == NULL) {
        parse_error(&s, r.text);
    } else {
        read_root(&s, root);
    }
    cJSON_Delete(root);
    *errors += s.errors;
    if (s.errors == 0)
        return p;
    problem_free(p);
    return NULL;
}

static bool
has_file(const char *folder, const char *name)
{
    char *path = xasprintf("%s/%s", folder, name);
    bool there = access(path, R_OK) == 0;

    free(path);
    return there;
}

static bool
is_slug(const char *slug)
{
    size_t len = strspn(slug, "abcdefghijklmnopqrstuvwxyz0123456789-");

    return slug[len] == '\0' && len >= 1 && len <= 64 && slug[0] != '-';
}

/* The folder of the problem as an absolute path; NULL: there is none, reported. The
 * caller frees. */
static char *
find_folder(const char *dir, const char *slug, problem_error_fn *on_error, void *context)
{
    char *folder, *path;

    if (!is_slug(slug)) {
        on_error(context, "problem.json",
                 "a problem's name is made of a-z, 0-9 and -, at most 64 of them");
        return NULL;
    }
    path = xasprintf("%s/%s", dir, slug);
    folder = realpath(path, NULL);
    if (folder == NULL) {
        char *sentence = xasprintf("there is no folder %s", path);

        on_error(context, "problem.json", sentence);
        free(sentence);
    }
    free(path);
    return folder;
}

static bool
uses_inputs_c(const struct problem *p)
{
    for (int t = 0; t < p->test_count; t++) {
        if (problem_uses_inputs_c(p, &p->test[t]))
            return true;
    }
    return problem_uses_inputs_c(p, &p->benchmark_cuda) ||
           problem_uses_inputs_c(p, &p->benchmark_emu);
}

/* A file that the spec names is there, and none is there for nothing. */
static int
check_files(const struct problem *p, problem_error_fn *on_error, void *context,
            int *errors)
{
    const struct {
        const char *name;
        bool there, used;
        const char *missing, *idle;
    } files[] = {
        {"inputs.c", p->has_inputs_c, uses_inputs_c(p),
         "is not there, but inputs have the values \"inputs.c\"",
         "is there, but no input has the values \"inputs.c\""},
        {"checker.c", p->has_checker_c, problem_uses_checker(p),
         "is not there, but outputs are compared with the mode \"checker\"",
         "is there, but no output is compared with the mode \"checker\""},
    };
    int wrong = 0;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i].there == files[i].used)
            continue;
        on_error(context, files[i].name,
                 files[i].used ? files[i].missing : files[i].idle);
        wrong++;
    }
    *errors += wrong;
    return wrong == 0 ? 0 : -1;
}

struct problem *
problem_read(const char *dir, const char *slug, problem_error_fn *on_error, void *context,
             int *errors)
{
    struct problem *p = NULL;
    struct report r = {0};
    struct buf text = {0};
    char *path, *folder = find_folder(dir, slug, on_error, context);
    bool c, cu;

    if (folder == NULL) {
        ++*errors;
        return NULL;
    }
    path = xasprintf("%s/problem.json", folder);
    if (file_read(path, SPEC_BYTES_MAX, &text, &r) != 0) {
        ++*errors;
        on_error(context, "problem.json", r.text);
    } else {
        p = problem_parse(slug, folder, buf_str(&text), text.len, on_error, context,
                          errors);
    }
    c = has_file(folder, "reference.c");
    cu = has_file(folder, "reference.cu");
    if (!c && !cu) {
        ++*errors;
        on_error(context, "reference.c", "neither reference.c nor reference.cu is there");
        problem_free(p);
        p = NULL;
    }
    if (p != NULL) {
        p->has_reference_c = c;
        p->has_reference_cu = cu;
        p->has_inputs_c = has_file(folder, "inputs.c");
        p->has_checker_c = has_file(folder, "checker.c");
        if (check_files(p, on_error, context, errors) != 0) {
            problem_free(p);
            p = NULL;
        }
    }
    free(folder);
    free(path);
    buf_free(&text);
    return p;
}
