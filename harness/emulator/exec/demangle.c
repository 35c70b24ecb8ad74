/*
 * Makes names for people of Itanium-mangled ones: add of _Z3addPKfPfi, ns::add of
 * _ZN2ns3addEv. Parameters and template arguments are left out. A name that is not
 * understood stays as it is.
 */
#include "source.h"

#include <stdio.h>
#include <string.h>

/* Copies <length><name> and returns its end; NULL: there is none. */
static const char *
read_name(const char *p, char *out, size_t size, size_t *used)
{
    size_t len = 0;

    while (*p >= '0' && *p <= '9' && len < 10000)
        len = len * 10 + (size_t)(*p++ - '0');
    if (len == 0 || strnlen(p, len) < len)
        return NULL;
    if (strncmp(p, "_GLOBAL__N_", 11) == 0 || strncmp(p, "_INTERNAL_", 10) == 0)
        return p + len; /* an unnamed namespace: nothing that the author wrote */
    if (*used + len + 3 > size)
        return NULL;
    if (*used > 0) {
        memcpy(out + *used, "::", 2);
        *used += 2;
    }
    memcpy(out + *used, p, len);
    *used += len;
    out[*used] = '\0';
    return p + len;
}

void
demangle(const char *mangled, char *out, size_t size)
{
    const char *p = mangled + 2;
    size_t used = 0;
    bool nested;

    snprintf(out, size, "%s", mangled);
    if (strncmp(mangled, "_Z", 2) != 0)
        return;
    nested = *p == 'N';
    p += nested;
    while (*p == 'L' || *p == 'K') /* internal linkage, const */
        p++;
    if (*p < '0' || *p > '9')
        return;
    do {
        p = read_name(p, out, size, &used);
    } while (p != NULL && nested && *p >= '0' && *p <= '9');
    if (used == 0 || p == NULL)
        snprintf(out, size, "%s", mangled);
}
