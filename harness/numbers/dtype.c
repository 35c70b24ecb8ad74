#include "numbers/dtype.h"

#include <string.h>

static const struct {
    const char *name, *ctype;
    size_t size;
    enum dtype_class class;
} TYPES[DTYPE_COUNT] = {
#define X(id, text, bytes, c, cl) [DTYPE_##id] = {text, c, bytes, CLASS_##cl},
    DTYPES(X)
#undef X
};

const char *
dtype_name(enum dtype t)
{
    return TYPES[t].name;
}

const char *
dtype_ctype(enum dtype t)
{
    return TYPES[t].ctype;
}

size_t
dtype_size(enum dtype t)
{
    return TYPES[t].size;
}

enum dtype_class
dtype_class(enum dtype t)
{
    return TYPES[t].class;
}

int
dtype_parse(const char *name, enum dtype *out)
{
    for (unsigned i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(name, TYPES[i].name) == 0) {
            *out = (enum dtype)i;
            return 0;
        }
    }
    return -1;
}
