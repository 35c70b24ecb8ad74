#include "core/accept.h"

#include "core/spec.h"

#include <string.h>

static const char *const keys[ACCEPT_COUNT + 1] = {
#define X(name, key) [ACCEPT_##name] = key,
    ACCEPTS(X)
#undef X
};

const char *
accept_key(enum accept a)
{
    return keys[a];
}

void
accepts_read(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "accepts"};
    const cJSON *object = spec_member(s, NULL, root, "accepts", false);

    if (object == NULL || spec_object(s, &at, object, keys) != 0)
        return;
    for (int a = 0; a < ACCEPT_COUNT; a++) {
        struct at here = {.up = &at, .key = keys[a]};
        const cJSON *item = spec_member(s, &at, object, keys[a], false);
        const char *reason = NULL;

        if (item == NULL || spec_string(s, &here, item, &reason) != 0)
            continue;
        if (strspn(reason, " \t\r\n") == strlen(reason))
            spec_error(s, &here, "must say why");
        else
            s->problem->accepts[a] = reason;
    }
}
