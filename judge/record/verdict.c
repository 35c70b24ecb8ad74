/* Verdicts by their names. */
#include "record/verdict.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *text;
} VERDICT[VERDICT_COUNT] = {
#define X(enumerator, json, text) [VERDICT_##enumerator] = {json, text},
    VERDICTS(X)
#undef X
};

const char *
verdict_name(enum verdict v)
{
    return (unsigned)v < VERDICT_COUNT ? VERDICT[v].name : "unknown";
}

const char *
verdict_text(enum verdict v)
{
    return (unsigned)v < VERDICT_COUNT ? VERDICT[v].text : "unknown";
}

int
verdict_parse(const char *name, enum verdict *out)
{
    for (unsigned i = 0; i < VERDICT_COUNT; i++) {
        if (strcmp(name, VERDICT[i].name) == 0) {
            *out = (enum verdict)i;
            return 0;
        }
    }
    return -1;
}
