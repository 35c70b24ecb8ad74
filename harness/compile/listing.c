/*
 * Makes the listing of a target: nvcc, then ptxas, then, for machine code, the
 * disassembler. Each runs in a sandbox. Nothing is linked.
 *
 * The cache keeps it as a file. Its first line says how many bytes follow that ptxas has
 * printed. The code is the rest.
 */
#include "compile/cache.h"
#include "compile/messages.h"
#include "compile/tools.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTING_FILE_BYTES_MAX ((size_t)2 * COMPILE_FILE_MIB << 20)

void
listing_free(struct listing *l)
{
    free(l->message);
    buf_free(&l->said);
    buf_free(&l->code);
}

/* Fills `out` from the cache's file. False where it makes no sense. */
static bool
listing_parse(const struct buf *file, struct listing *out)
{
    const char *text = buf_str(file);
    char *end;
    const unsigned long said = strtoul(text, &end, 10);
    const size_t begin = (size_t)(end - text) + 1;

    if (end == text || *end != '\n' || said > file->len - begin)
        return false;
    buf_add(&out->said, text + begin, said);
    buf_add(&out->code, text + begin + said, file->len - begin - said);
    return true;
}

/* Takes the listing from the cache, by way of this file. */
static bool
listing_take(const char *cache, const char *key, const char *path, struct listing *out)
{
    struct report why = {0}; /* what cannot be read is made again */
    struct buf file = {0};
    const bool taken = cache_get(cache, key, path) &&
                       file_read(path, LISTING_FILE_BYTES_MAX, &file, &why) == 0 &&
                       listing_parse(&file, out);

    buf_free(&file);
    return taken;
}

static void
listing_keep(const char *cache, const char *key, const char *path,
             const struct listing *l, struct report *r)
{
    struct buf file = {0};

    buf_printf(&file, "%zu\n", l->said.len);
    buf_add(&file, buf_str(&l->said), l->said.len);
    buf_add(&file, buf_str(&l->code), l->code.len);
    if (file_write(path, buf_str(&file), file.len, r) != 0 ||
        cache_put(cache, key, path, r) != 0)
        report_prefix(r, "the compiler's cache");
    buf_free(&file);
}

/* Has ptxas assemble the PTX that nvcc has kept. */
static int
listing_assemble(const struct build *b, struct listing *out, struct report *r)
{
    struct buf ptx = {0};
    enum tool_end end;
    int rc = build_read(b, PTX_NAME, &ptx, r);

    if (rc != 0)
        report_prefix(r, "what nvcc kept");
    else
        rc = tool_assemble(b, &out->said, &end, r);
    if (rc == 0 && end != TOOL_OK)
        out->message = message_assemble(b->target, end, &out->said, buf_str(&ptx));
    if (rc == 0)
        buf_add(&out->code, buf_str(&ptx), ptx.len);
    buf_free(&ptx);
    return rc;
}

static int
listing_disassemble(const struct build *b, struct listing *out, struct report *r)
{
    struct buf output = {0};
    enum tool_end end;
    int rc = tool_disassemble(b, &output, &end, r);

    buf_clear(&out->code);
    if (rc == 0 && end != TOOL_OK)
        rc = report_fail(r, DISASSEMBLER " failed: %.200s", buf_str(&output));
    if (rc == 0)
        rc = build_read(b, SASS_NAME, &out->code, r);
    buf_free(&output);
    return rc;
}

static int
listing_make(const struct build *b, enum listing_form form, struct listing *out,
             struct report *r)
{
    struct buf output = {0};
    enum tool_end end;
    int rc = tool_compile_best(b, &output, &end, r);

    if (rc == 0 && end != TOOL_OK)
        out->message = message_compile(b->target, end, &output);
    buf_free(&output);
    if (rc == 0 && out->message == NULL)
        rc = listing_assemble(b, out, r);
    if (rc == 0 && out->message == NULL && form == LISTING_SASS)
        rc = listing_disassemble(b, out, r);
    return rc;
}

int
compile_listing(const struct target *t, enum listing_form form, const char *cache,
                const char *folder, struct listing *out, struct report *r)
{
    char key[CACHE_KEY_LEN], part[CACHE_KEY_LEN];
    char *path = xasprintf("%s.listing", folder);
    struct build b;
    int rc;

    *out = (struct listing){0};
    rc = compile_check_toolkit(t, r);
    if (rc == 0)
        rc = cache_key(t, key, r);
    if (rc == 0) {
        cache_part_key(form == LISTING_PTX ? "ptx" : "sass", key, part);
        if (listing_take(cache, part, path, out))
            goto out;
        rc = build_open(t, cache, folder, &b, r);
    }
    if (rc == 0) {
        rc = listing_make(&b, form, out, r);
        build_close(&b);
    }
    if (rc == 0 && out->message == NULL)
        listing_keep(cache, part, path, out, r);
out:
    free(path);
    return rc;
}
