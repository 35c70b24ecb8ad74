#include "core/verdict.h"

#include <stddef.h>
#include <string.h>

static const char *const NAMES[VERDICT_COUNT] = {
#define X(name, text) [VERDICT_##name] = text,
    VERDICTS(X)
#undef X
};

const char *
verdict_name(enum verdict v)
{
    return (unsigned)v < VERDICT_COUNT ? NAMES[v] : "unknown";
}

int
verdict_parse(const char *name, enum verdict *out)
{
    for (unsigned i = 0; i < VERDICT_COUNT; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *out = (enum verdict)i;
            return 0;
        }
    }
    return -1;
}
