/*
 * Reads what "ptxas -v" prints of each kernel:
 *
 *     ptxas info    : Compiling entry function 'NAME' for 'sm_90'
 *     ptxas info    : Function properties for NAME
 *         360 bytes stack frame, 184 bytes spill stores, 184 bytes spill loads
 *     ptxas info    : Used 96 registers, used 1 barriers, 800 bytes smem
 *
 * Properties of functions that a kernel calls follow the kernel's own line.
 */
#include "compile/assembly.h"

#include "base/file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What was read of the kernel whose lines these are. */
struct kernel_said {
    struct assembly_kernel kernel; /* without a name: there is none, or it is complete */
    bool has_stack;
    void (*tell)(void *arg, const struct assembly_kernel *k);
    void *arg;
};

/* The rest of a line that begins with this; NULL if it does not. */
static const char *
after(const char *line, const char *prefix)
{
    return strncmp(line, prefix, strlen(prefix)) == 0 ? line + strlen(prefix) : NULL;
}

/* The number before these words in a line; 0 if they are not there. */
static unsigned long
number_before(const char *line, const char *end, const char *words)
{
    const char *at = memmem(line, (size_t)(end - line), words, strlen(words));

    if (at == NULL)
        return 0;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoul(at, NULL, 10);
}

static void
read_line(const char *line, const char *end, struct kernel_said *s)
{
    const char *rest = after(line, "ptxas info    : Compiling entry function '");
    struct assembly_kernel *k = &s->kernel;

    if (rest != NULL) {
        *k = (struct assembly_kernel){.name = rest, .name_len = strcspn(rest, "'\n")};
        s->has_stack = false;
    } else if (k->name == NULL) {
        return;
    } else if (!s->has_stack && line[0] == ' ') {
        k->stack = number_before(line, end, " bytes stack frame");
        k->spill_stores = number_before(line, end, " bytes spill stores");
        k->spill_loads = number_before(line, end, " bytes spill loads");
        s->has_stack = true;
    } else if ((rest = after(line, "ptxas info    : Used ")) != NULL) {
        k->registers = strtoul(rest, NULL, 10);
        k->shared = number_before(line, end, " bytes smem");
        s->tell(s->arg, k);
        k->name = NULL;
    }
}

void
assembly_read_said(const char *said,
                   void (*kernel)(void *arg, const struct assembly_kernel *k), void *arg)
{
    struct kernel_said s = {.tell = kernel, .arg = arg};
    const char *end;

    for (const char *line = said; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        end = strchrnul(line, '\n');
        read_line(line, end, &s);
    }
}

static void
add_kernel(void *arg, const struct assembly_kernel *k)
{
    buf_printf(arg, "%.*s %lu %lu %lu\n", (int)k->name_len, k->name, k->registers,
               k->stack, k->shared);
}

void
assembly_text(const char *said, const struct buf *image, struct buf *out)
{
    char hash[65];

    hash_hex(buf_str(image), image->len, hash);
    buf_printf(out, "warpjudge-assembly 1\nimage %s\n", hash);
    assembly_read_said(said, add_kernel, out);
}
