#include "arbiter/judging/stock.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

void
stock_close(struct stock *s)
{
    device_close(s->device);
    free(s->name);
    s->device = NULL;
    s->name = NULL;
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
    stock_close(s);
    return d;
}

void
stock_keep(struct stock *s, const struct job *job, struct device *d)
{
    if (s == NULL || s->last || d == NULL || job->partner != NULL || !device_reset(d)) {
        device_close(d);
        return;
    }
    stock_close(s);
    s->name = xstrdup(job->device);
    s->device = d;
}
