/* The names of variables in messages. */
#include "machine.h"
#include "source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last name of a nested one: "tile" of _ZZ3sumPKfPfiE4tile. */
void
plain_name(const char *mangled, char *out, size_t size)
{
    const char *last = mangled;
    unsigned long length = 0;

    for (const char *p = mangled; *p != '\0'; p++) {
        char *end;
        unsigned long n;

        if (!isdigit((unsigned char)*p) || (p > mangled && isdigit((unsigned char)p[-1])))
            continue;
        n = strtoul(p, &end, 10);
        if (n > 0 && n <= strlen(end)) {
            last = end;
            length = n;
            p = end + n - 1;
        }
    }
    if (strncmp(mangled, "_Z", 2) != 0 || length == 0) {
        last = mangled;
        length = strlen(mangled);
    }
    snprintf(out, size, "%.*s", (int)(length < 60 ? length : 60), last);
}

/* The shared array that holds the offset; false: none is known, as in dynamic memory. */
bool
shared_name(const struct kernel *k, uint64_t offset, char *out, size_t size)
{
    for (const struct shared_var *v = k->shared_vars; v != NULL; v = v->next) {
        char name[64];

        if (v->dynamic || offset < v->offset || offset - v->offset >= v->var->bytes)
            continue;
        plain_name(v->var->name, name, sizeof name);
        snprintf(out, size, "%s, byte %llu", name,
                 (unsigned long long)(offset - v->offset));
        return true;
    }
    return false;
}

/* The __device__ or __constant__ variable that the allocation holds; false: it holds
 * none. */
bool
variable_name(const struct machine *m, const struct allocation *a, char *out, size_t size)
{
    for (const struct module *mod = m->modules; mod != NULL; mod = mod->next) {
        for (const struct ptx_var *v = mod->ptx->vars; v != NULL; v = v->next) {
            if (mod->addresses[v->index] != a->start)
                continue;
            plain_name(v->name, out, size);
            return true;
        }
    }
    return false;
}
