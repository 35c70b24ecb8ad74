/*
 * problem.json to struct problem, in steps of which each needs the one before.
 *
 *     1 (here)               title, difficulty, words, limits, arch, which stand alone
 *     2 (problem_params.c)   the names, types and directions of the parameters
 *     3 (problem_params.c)   shapes, values and tolerances, which are expressions over
 *                            the scalars of step 2
 *     4 (problem_tests.c)    tests, benchmarks and work
 *     5 (problem_verify.c)   what shows only at each test's sizes
 *
 * Reading stops after a step whose errors the next step would only repeat.
 *
 * docs/problem-format.md says the same to authors. Change both, and raise PROBLEM_FORMAT
 * where an old spec would be read differently.
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "problem/names.h"
#include "problem/spec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBLEM_FORMAT 1
#define SPEC_BYTES_MAX ((size_t)1 << 20)
#define TAGS_MAX 16
#define TEACHES_MAX 4
#define AFTER_MAX 4
#define TIME_LIMIT_DEFAULT_MS 10000
#define TIME_LIMIT_MAX_MS 600000
#define MEMORY_DEFAULT_MIB 16384
#define MEMORY_MAX_MIB 1048576

/* --- 1: what stands alone ----------------------------------------------------------- */

static void
problem_read_text(struct spec *s, const cJSON *root, const char *key, const char **out)
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

    problem_read_text(s, root, "difficulty", &p->difficulty);
    if (p->difficulty != NULL && strcmp(p->difficulty, "easy") != 0 &&
        strcmp(p->difficulty, "medium") != 0 && strcmp(p->difficulty, "hard") != 0)
        spec_error(s, &at, "must be \"easy\", \"medium\" or \"hard\", not \"%.40s\"",
                   p->difficulty);
}

/* A list of `least` to `most` texts, which may be missing. */
static void
read_texts(struct spec *s, const cJSON *root, const char *key, int least, int most,
           const char *const **out, int *count)
{
    struct at at = {.key = key};
    const cJSON *item = spec_member(s, NULL, root, key, false);
    const char **texts;

    if (item == NULL || spec_array(s, &at, item, least, most) != 0)
        return;
    *count = cJSON_GetArraySize(item);
    texts = arena_alloc(s->arena, sizeof *texts * (size_t)(*count + 1));
    *out = texts;
    item = item->child;
    for (int i = 0; i < *count; i++, item = item->next) {
        struct at here = {.up = &at, .index = i};

        spec_string(s, &here, item, &texts[i]);
    }
}

static void
read_words(struct spec *s, const cJSON *root)
{
    struct problem *p = s->problem;

    read_texts(s, root, "tags", 0, TAGS_MAX, &p->tags, &p->tag_count);
    read_texts(s, root, "teaches", 1, TEACHES_MAX, &p->teaches, &p->teaches_count);
    read_texts(s, root, "after", 1, AFTER_MAX, &p->after, &p->after_count);
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

/* "arch": what nvcc puts behind compute_, such as "80", "90a" or "100f". */
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
read_sources(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "sources"};
    const cJSON *item = spec_member(s, NULL, root, "sources", false);
    const char *word;

    if (item != NULL && spec_string(s, &at, item, &word) == 0 &&
        sources_parse(word, &s->problem->sources) != 0)
        spec_error(s, &at, "must be \"owner\", \"solved\" or \"public\", not \"%.20s\"",
                   word);
}

static void
problem_read_head(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "format"};
    const cJSON *item = spec_member(s, NULL, root, "format", true);
    double format;

    if (item != NULL && spec_number(s, &at, item, &format) == 0 &&
        format != PROBLEM_FORMAT)
        spec_error(s, &at, "is %.9g, but this judge reads format %d", format,
                   PROBLEM_FORMAT);
    problem_read_text(s, root, "title", &s->problem->title);
    read_difficulty(s, root);
    read_words(s, root);
    read_limits(s, root);
    read_arch(s, root);
    read_gpus(s, root);
    libraries_read(s, root);
    read_sources(s, root);
}

/* --- the whole ---------------------------------------------------------------------- */

static void
read_root(struct spec *s, const cJSON *root)
{
    static const char *const KEYS[] = {
        "format", "title",   "difficulty", "tags",      "teaches", "after",
        "params", "compare", "tests",      "benchmark", "work",    "limits",
        "arch",   "gpus",    "accepts",    "libraries", "sources", NULL};
    int before;

    spec_object(s, NULL, root, KEYS);
    if (!cJSON_IsObject(root))
        return;
    problem_read_head(s, root);
    before = s->errors;
    params_read(s, root);
    if (s->errors != before)
        return;
    accepts_read(s, root);
    tolerances_read(s, root);
    tests_read(s, root);
    if (s->errors == 0)
        problem_verify(s);
}

/* Reports what the JSON parser says. Its message has a place and a sentence:
 * "problem.json:5: not valid JSON here". */
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
    if (utf8_prefix(text, len) != len) {
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

/* The folder of the problem as an absolute path, which the caller frees. NULL, after
 * having reported it, where there is none. */
static char *
find_folder(const char *dir, const char *slug, problem_error_fn *on_error, void *context)
{
    char *folder, *path;

    if (!slug_is_valid(slug)) {
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

/* Checks that the folder has the files that the spec names, and no others that would be
 * ignored. */
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
