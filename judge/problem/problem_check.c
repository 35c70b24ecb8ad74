/* The checks that see a whole folder: texts, references, sample tests, and values that
 * are made on the host. problem_read.c reports what is wrong with the spec itself. */
#include "problem/problem_check.h"

#include "base/buf.h"
#include "base/file.h"
#include "problem/after_check.h"
#include "problem/baselines.h"
#include "problem/spec.h"
#include "problem/vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sample test with more elements is more than a person reads. */
#define SAMPLE_ELEMENTS_MAX 1024
/* The check makes the values of a test on the host where they are at most this many. */
#define MADE_ELEMENTS_MAX 4000000
#define TEXT_BYTES_MAX ((size_t)1 << 20)

struct check {
    const struct problem *problem;
    problem_error_fn *on_error;
    void *context;
    int errors;
};

static void
problem_check_fail(struct check *c, const char *where, const char *sentence)
{
    c->errors++;
    c->on_error(c->context, where, sentence);
}

/* Reports a text file of the folder that is missing or empty. */
static void
check_text(struct check *c, const char *dir, const char *slug, const char *name)
{
    char *path = xasprintf("%s/%s/%s", dir, slug, name);
    struct buf text = {0};
    struct report r = {0};

    if (access(path, F_OK) != 0)
        problem_check_fail(c, name, "is not there");
    else if (file_read(path, TEXT_BYTES_MAX, &text, &r) != 0)
        problem_check_fail(c, name, r.text);
    else if (strspn(buf_str(&text), " \t\r\n") == text.len)
        problem_check_fail(c, name, "is empty");
    buf_free(&text);
    free(path);
}

/* Reports a reference that does not define solve(). The compiler finds its other
 * errors. */
static void
check_reference(struct check *c, const char *name)
{
    char *path = xasprintf("%s/%s", c->problem->folder, name);
    struct buf text = {0};
    struct report r = {0};

    if (file_read(path, TEXT_BYTES_MAX, &text, &r) != 0)
        problem_check_fail(c, name, r.text);
    else if (strstr(buf_str(&text), "solve") == NULL)
        problem_check_fail(c, name, "does not define solve()");
    buf_free(&text);
    free(path);
}

static void
check_sample_test_size(struct check *c, int test)
{
    const struct problem *p = c->problem;

    for (int i = 0; i < p->param_count; i++) {
        struct extent extent;
        struct report r = {0};
        char where[64], sentence[256];

        if (p->param[i].dir == DIR_SCALAR || p->accepts[ACCEPT_SAMPLE_TESTS] != NULL)
            continue;
        snprintf(where, sizeof where, "problem.json: $.tests[%d]", test);
        if (problem_extent(p, &p->test[test], i, &extent, &r) != 0) {
            problem_check_fail(c, where, r.text);
        } else if (extent.count > SAMPLE_ELEMENTS_MAX) {
            snprintf(sentence, sizeof sentence,
                     "a sample is shown to people: %s has %llu elements, at most %d are "
                     "readable; where the signature leaves no choice, say so in "
                     "$.accepts.sample",
                     p->param[i].name, (unsigned long long)extent.count,
                     SAMPLE_ELEMENTS_MAX);
            problem_check_fail(c, where, sentence);
        }
    }
}

/* Makes the values of a test once, and reports what shows only then. */
static void
check_made(struct check *c, const char *where, const struct test_case *t)
{
    const struct problem *p = c->problem;

    for (int i = 0; i < p->param_count; i++) {
        struct extent extent;
        struct report r = {0};
        void *bytes;

        if ((p->param[i].dir != DIR_IN && p->param[i].dir != DIR_INOUT) ||
            problem_value_source(p, t, i) == VALUE_SOURCE_GEN ||
            problem_extent(p, t, i, &extent, &r) != 0 || extent.count > MADE_ELEMENTS_MAX)
            continue;
        bytes = xcalloc(extent.count, dtype_size(p->param[i].type));
        if (problem_make(p, t, i, 1, bytes, &r) != 0)
            problem_check_fail(c, where, r.text);
        free(bytes);
    }
}

static void
check_all_made(struct check *c)
{
    for (int t = 0; t < c->problem->test_count; t++) {
        char where[64];

        snprintf(where, sizeof where, "problem.json: $.tests[%d]", t);
        check_made(c, where, &c->problem->test[t]);
    }
    check_made(c, "problem.json: $.benchmark.cuda", &c->problem->benchmark_cuda);
    check_made(c, "problem.json: $.benchmark.emu", &c->problem->benchmark_emu);
}

static void
check_sample_tests(struct check *c)
{
    int sample_tests = 0;

    for (int t = 0; t < c->problem->test_count; t++) {
        if (!c->problem->test[t].sample_test)
            continue;
        sample_tests++;
        check_sample_test_size(c, t);
    }
    if (sample_tests == 0)
        problem_check_fail(
            c, "problem.json: $.tests",
            "no test has \"sample\": true, so `warpjudge run` has nothing to show");
}

int
problem_check(const char *dir, const char *slug, problem_error_fn *on_error,
              void *context)
{
    struct check c = {.on_error = on_error, .context = context};
    struct problem *p = problem_read(dir, slug, on_error, context, &c.errors);
    char *folder = xasprintf("%s/%s", dir, slug);

    c.problem = p;
    /* Where the folder is missing, the error about it is enough. */
    if (p != NULL || (strchr(slug, '/') == NULL && access(folder, F_OK) == 0))
        check_text(&c, dir, slug, "statement.md");
    if (p != NULL) {
        struct baselines baselines;

        c.errors += baselines_read(p, on_error, context, &baselines);
        baselines_free(&baselines);
        c.errors += vocabulary_check(dir, p, on_error, context);
        c.errors += after_check(dir, p, on_error, context);
        check_sample_tests(&c);
        check_all_made(&c);
        if (p->has_reference_c)
            check_reference(&c, "reference.c");
        if (p->has_reference_cu)
            check_reference(&c, "reference.cu");
    }
    free(folder);
    problem_free(p);
    return c.errors;
}
