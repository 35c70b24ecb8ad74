#include "arbiter/judging/stock.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

static void
drop_reference(struct stock *s)
{
    reference_close(s->reference);
    s->reference = NULL;
}

static void
drop_device(struct stock *s)
{
    device_close(s->device);
    free(s->name);
    s->device = NULL;
    s->name = NULL;
}

void
stock_close(struct stock *s)
{
    drop_reference(s);
    drop_device(s);
}

struct device *
stock_take(struct stock *s, const struct job *job)
{
    struct device *d;

    if (s == NULL || s->device == NULL)
        return NULL;
    if (job->partner != NULL || strcmp(s->name, job->device) != 0) {
        stock_close(s);
        return NULL;
    }
    d = s->device;
    s->device = NULL;
    drop_device(s);
    return d;
}

struct reference *
stock_take_reference(struct stock *s, const struct reference_options *o,
                     const struct device *target)
{
    struct reference *kept;

    if (s == NULL || s->reference == NULL)
        return NULL;
    if (!reference_is_that(s->reference, o, target)) {
        drop_reference(s);
        return NULL;
    }
    kept = s->reference;
    s->reference = NULL;
    return kept;
}

void
stock_keep_reference(struct stock *s, struct reference *reference)
{
    if (s == NULL || s->last || reference == NULL || !reference_rest(reference)) {
        reference_close(reference);
        return;
    }
    drop_reference(s);
    s->reference = reference;
}

void
stock_keep(struct stock *s, const struct job *job, struct device *d)
{
    if (s == NULL || s->last || d == NULL || job->partner != NULL || !device_reset(d)) {
        if (s != NULL)
            drop_reference(s);
        device_close(d);
        return;
    }
    drop_device(s);
    s->name = xstrdup(job->device);
    s->device = d;
}

pid_t
stock_pid(const struct stock *s)
{
    return s->reference != NULL ? reference_pid(s->reference) : 0;
}
