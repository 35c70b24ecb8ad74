#include "record/secret_form.h"

#include <string.h>

bool
secret_is_valid(const char *prefix, const char *text)
{
    return strlen(text) == SECRET_BYTES - 1 && strncmp(text, prefix, 4) == 0 &&
           strspn(text + 4, "0123456789abcdef") == 64;
}
