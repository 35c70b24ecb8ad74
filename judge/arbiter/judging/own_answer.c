#include "arbiter/judging/own_answer.h"

#include "base/file.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that is drawn for the case follows from its seed, so that the same case has the
 * same values each time. It is no secret, and nothing of it is ever ranked. */
static void
own_case_seed(struct judgement *j)
{
    char text[64], hash[65];

    snprintf(text, sizeof text, "a case of one's own %lld", (long long)j->own->seed);
    hash_hex(text, strlen(text), hash);
    seeds_open(&j->seeds, hash);
    free(j->result.seed);
    j->result.seed = xstrdup(j->seeds.secret);
}

int
own_case_load(struct judgement *j, struct report *r)
{
    char field[OWN_CASE_FIELD_MAX];
    struct own_case *own;
    cJSON *object;
    int rc;

    if (j->job.own_case == NULL)
        return 0;
    object = json_parse(j->job.own_case, strlen(j->job.own_case), "own_case", r);
    if (object == NULL)
        return -1;
    own = xcalloc(1, sizeof *own);
    rc = own_case_read(object, j->problem, j->job.device, own, field, r);
    cJSON_Delete(object);
    if (rc != 0) {
        free(own);
        report_prefix(r, "the case does not fit the problem any more");
        return -1;
    }
    j->own = own;
    j->problem->test = &own->test;
    j->problem->test_count = 1;
    own_case_seed(j);
    return 0;
}

void
own_case_close(struct judgement *j)
{
    if (j->own == NULL)
        return;
    own_case_free(j->own);
    free(j->own);
    j->own = NULL;
}

/* Writes the values that the user has chosen over those that were drawn. */
static int
own_change(void *context, struct call_set *set, struct report *r)
{
    const struct judgement *j = context;
    int rc = 0;

    for (int i = 0; i < set->problem->param_count && rc == 0; i++) {
        const struct extent *e = &set->extent[i];
        void *values;

        if (!param_is_input(&set->problem->param[i]) || j->own->values[i] == OWN_RANDOM)
            continue;
        values = xmalloc(e->bytes);
        own_case_make(j->own, set->problem, i, e, values);
        rc = device_write(set->device, set->buffer[i], 0, e->bytes, values, r);
        if (rc == 0 && set->problem->param[i].dir == DIR_INOUT)
            rc = call_set_keep_start(set, i, values, r);
        free(values);
    }
    return rc;
}

int
own_answer(struct judgement *j, struct answer *a, struct report *r)
{
    struct report why = {0};
    const uint64_t seed = seeds_make(&j->seeds, SEED_TEST, 0);

    if (reference_answer_changed(j->reference, &j->problem->test[0], seed, own_change, j,
                                 a, &why) == 0)
        return 0;
    if (!reference_failed(j->reference))
        return report_fail(r, "%s", why.text);
    outcome_set(&j->outcome, VERDICT_RUNTIME_ERROR,
                "your case has no answer to compare with: %s. Your solve() was not "
                "called. Choose other sizes or values",
                why.text);
    return 0;
}
