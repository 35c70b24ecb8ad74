// links: common
/* A problem.json that somebody else wrote: any bytes end in a problem whose shapes,
 * values and work can be asked for, or in sentences. */
#include "problem/problem.h"
#include "problem/spec.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
ignore(void *context, const char *where, const char *sentence)
{
    (void)context;
    if (where[0] == '\0' || sentence[0] == '\0')
        abort(); /* every error says something */
}

static bool
is_small(const struct problem *p, const struct test_case *t)
{
    for (int i = 0; i < p->param_count; i++) {
        struct report r = {0};
        struct extent extent;

        if (p->param[i].dir != DIR_SCALAR &&
            (problem_extent(p, t, i, &extent, &r) != 0 || extent.count > 1000))
            return false;
    }
    return true;
}

/* Values made on the host: all of them, or a sentence. */
static void
make(const struct problem *p, const struct test_case *t, int param)
{
    struct report r = {0};
    struct extent extent;
    char *bytes;

    if (!is_small(p, t) || problem_extent(p, t, param, &extent, &r) != 0)
        return;
    bytes = malloc(extent.bytes);
    if (bytes != NULL && problem_make(p, t, param, 1, bytes, &r) != 0 &&
        r.text[0] == '\0')
        abort();
    free(bytes);
}

static void
use(const struct problem *p, const struct test_case *t)
{
    for (int i = 0; i < p->param_count; i++) {
        struct report r = {0};
        struct extent extent;
        struct gen g;

        if (p->param[i].dir == DIR_SCALAR) {
            (void)problem_scalar_bits(p, t, i);
            continue;
        }
        if (problem_extent(p, t, i, &extent, &r) != 0)
            abort(); /* problem_verify has tried it */
        if (p->param[i].dir == DIR_OUT)
            continue;
        if (problem_value_source(p, t, i) != VALUE_SOURCE_GEN) {
            make(p, t, i);
        } else {
            char element[8];

            if (problem_gen(p, t, i, &g, &r) != 0)
                abort();
            gen_fill(&g, 1, extent.count - 1, 1, element);
        }
    }
    free(problem_sizes_text(p, t));
    (void)problem_work_bytes(p, t);
    (void)problem_work_flops(p, t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int errors = 0;
    /* A copy: what is read beyond its end must be noticed. */
    char *text = malloc(size != 0 ? size : 1);
    struct problem *p;

    if (text == NULL)
        return 0;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)data[i];
    p = problem_parse("fuzzed", NULL, text, size, ignore, NULL, &errors);
    if ((p == NULL) != (errors > 0))
        abort();
    if (p != NULL) {
        free(problem_signature(p));
        for (int t = 0; t < p->test_count; t++)
            use(p, &p->test[t]);
        use(p, &p->benchmark_cuda);
        use(p, &p->benchmark_emu);
        problem_free(p);
    }
    free(text);
    return 0;
}
