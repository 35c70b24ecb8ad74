#include "arbiter/judging/outcome.h"

#include "base/buf.h"
#include "base/report.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
outcome_set(struct outcome *o, enum verdict v, const char *format, ...)
{
    va_list ap;

    if (o->verdict != VERDICT_ACCEPTED)
        return;
    o->verdict = v;
    va_start(ap, format);
    if (vasprintf(&o->message, format, ap) < 0)
        die(4, "out of memory");
    va_end(ap);
}

void
outcome_forget_findings(struct outcome *o)
{
    cJSON_Delete(o->failure);
    cJSON_Delete(o->diagnostics);
    o->failure = o->diagnostics = NULL;
}

void
outcome_free(struct outcome *o)
{
    outcome_forget_findings(o);
    free(o->message);
    *o = (struct outcome){0};
}
