#include "arbiter/judging/inputs.h"

#include <string.h>

static bool
is_its_own(const struct call_set *s, int param)
{
    return param_is_input(&s->problem->param[param]) &&
           problem_value_source(s->problem, s->test, param) == VALUE_SOURCE_FILE;
}

/* Makes the arguments of inputs(): the seed, the variant, and every input and scalar in
 * order. */
static int
list_arguments(const struct call_set *s, uint64_t seed, struct author_arg *arg)
{
    int count = 0;

    arg[count++] = (struct author_arg){.value = seed};
    arg[count++] = (struct author_arg){.value = (uint64_t)s->test->variant};
    for (int i = 0; i < s->problem->param_count; i++) {
        if (param_is_input(&s->problem->param[i]))
            arg[count++] = (struct author_arg){.buffer = s->buffer[i]};
        else if (s->buffer[i] == NULL)
            arg[count++] =
                (struct author_arg){.value = problem_scalar_bits(s->problem, s->test, i)};
    }
    return count;
}

/* Checks that the program has left alone the inputs that are not its own. It has their
 * buffers, too, so that it can read them. */
static int
check_others(const struct call_set *made, const struct call_set *to, struct report *r)
{
    for (int i = 0; i < made->problem->param_count; i++) {
        const void *want;

        if (!param_is_input(&made->problem->param[i]) || is_its_own(made, i))
            continue;
        want = device_view(to->buffer[i]);
        if (want != NULL &&
            memcmp(want, device_view(made->buffer[i]), made->extent[i].bytes) != 0)
            return report_fail(r,
                               "inputs.c of %s changes %s, whose values in this test are "
                               "not \"inputs.c\"",
                               made->problem->slug, made->problem->param[i].name);
    }
    return 0;
}

static int
take_made_inputs(const struct call_set *made, struct call_set *to, struct report *r)
{
    for (int i = 0; i < made->problem->param_count; i++) {
        const void *bytes;

        if (!is_its_own(made, i))
            continue;
        bytes = device_view(made->buffer[i]);
        if (device_write(to->device, to->buffer[i], 0, to->extent[i].bytes, bytes, r) !=
            0)
            return -1;
        if (to->problem->param[i].dir == DIR_INOUT &&
            call_set_keep_start(to, i, bytes, r) != 0)
            return -1;
    }
    return 0;
}

int
inputs_fill(struct author *inputs, struct call_set *to, uint64_t seed, struct report *r)
{
    struct author_arg arg[PROBLEM_PARAMS_MAX + 2];
    struct call_set made;
    int rc;

    if (call_set_fill(to, seed, r) != 0)
        return -1;
    if (inputs == NULL || !problem_uses_inputs_c(to->problem, to->test))
        return 0;
    if (call_set_alloc(&made, author_device(inputs), to->problem, to->test, true, r) != 0)
        return -1;
    rc = call_set_fill(&made, seed, r);
    if (rc == 0 && author_call(inputs, arg, list_arguments(&made, seed, arg), r) != 0)
        rc = -1;
    if (rc == 0)
        rc = check_others(&made, to, r);
    if (rc == 0)
        rc = take_made_inputs(&made, to, r);
    call_set_free(&made);
    return rc;
}
