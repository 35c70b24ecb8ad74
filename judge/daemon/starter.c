/* Generates a starter from a spec: a comment for each parameter, and the signature. */
#include "daemon/starter.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *
dir_text(enum param_dir dir)
{
    switch (dir) {
    case DIR_IN:
        return "input";
    case DIR_OUT:
        return "output";
    case DIR_INOUT:
        return "input and output";
    case DIR_SCALAR:
        break;
    }
    return "by value";
}

/* Adds what a parameter is, such as "input, on the device", and a newline. */
static void
add_kind(struct buf *b, const struct problem *p, const struct param *q)
{
    buf_puts(b, dir_text(q->dir));
    if (q->dir == DIR_SCALAR)
        buf_puts(b, "\n");
    else if (q->space == SPACE_HOST_PINNED)
        buf_puts(b, ", on the host, page-locked\n");
    else if (p->gpus > 1)
        buf_printf(b, ", on device %d\n", q->gpu);
    else
        buf_puts(b, ", on the device\n");
}

static bool
starter_uses_type(const struct problem *p, enum dtype type)
{
    for (int i = 0; i < p->param_count; i++)
        if (p->param[i].type == type)
            return true;
    return false;
}

static void
add_includes(struct buf *b, const struct problem *p)
{
    buf_puts(b, "#include <cuda_runtime.h>\n");
    if (starter_uses_type(p, DTYPE_F16))
        buf_puts(b, "#include <cuda_fp16.h>\n");
    if (starter_uses_type(p, DTYPE_BF16))
        buf_puts(b, "#include <cuda_bf16.h>\n");
    for (int t = 0; t < DTYPE_COUNT; t++) {
        const char *type = dtype_ctype((enum dtype)t);

        if (strstr(type, "int") == NULL || strstr(type, "_t") == NULL ||
            !starter_uses_type(p, (enum dtype)t))
            continue;
        buf_puts(b, "#include <stdint.h>\n");
        break;
    }
}

static char *
starter_generate(const struct problem *p)
{
    struct buf b = {0};
    char *signature = problem_signature(p);

    buf_printf(&b, "// warpjudge: %s\n", p->slug);
    add_includes(&b, p);
    buf_printf(&b, "\n/*\n * %s\n *\n", p->title);
    for (int i = 0; i < p->param_count; i++) {
        const struct param *q = &p->param[i];
        bool about = q->about != NULL && q->about[0] != '\0';

        buf_printf(&b, " * %s: %s%s", q->name, about ? q->about : "", about ? "; " : "");
        add_kind(&b, p, q);
    }
    buf_puts(&b,
             " *\n * solve() runs on the host and launches kernels; what it launched is"
             " waited for.\n */\n");
    buf_printf(&b, "extern \"C\" %s\n{\n}\n", signature);
    free(signature);
    return buf_take(&b);
}

char *
starter_text(const struct problem *p, struct report *r)
{
    char *path = xasprintf("%s/starter.cu", p->folder);
    struct buf text = {0};
    char *result = NULL;

    if (access(path, F_OK) != 0)
        result = starter_generate(p);
    else if (file_read(path, SOURCE_BYTES_MAX, &text, r) == 0)
        result = buf_take(&text);
    free(path);
    buf_free(&text);
    return result;
}
