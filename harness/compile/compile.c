/*
 * Makes a program of a target:
 *
 *     target  ->  key  ->  if it is in the cache, that is the program
 *                  |
 *                  otherwise: build folder, nvcc (or gcc) in a sandbox, link in a
 *                  sandbox, into the cache
 *                                |
 *                                for emu: ptxas in a sandbox, its assembly into the cache
 *
 * Of a submission the digest of its PTX is taken beside its program.
 *
 * The last step is compile_assemble(), for which the build folder stays. The program can
 * run meanwhile. One that ptxas has not accepted is in the cache without an assembly, and
 * is built again.
 *
 * The tools read strangers' bytes, so they are sandboxed as submissions are. What they
 * leave in the build folder is looked at only when all their processes are dead, and
 * only if it is a regular file. Submissions and references are made in the same way. An
 * error in the user's source gives a message; a failure of ours gives a report.
 */
#include "compile/assembly.h"
#include "compile/cache.h"
#include "compile/equal.h"
#include "compile/messages.h"
#include "compile/tools.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REFUSAL_BYTES_MAX ((size_t)1 << 20)

/* Moves the linker's result into place, or copies it where it is another user's. */
static int
take_program(const struct build *b, const char *to, struct report *r)
{
    char *program = xasprintf("%s/" PROGRAM_NAME, b->folder);
    struct stat st;
    int rc = 0;

    if (lstat(program, &st) != 0 || !S_ISREG(st.st_mode))
        rc = report_fail(r, "the linker left no program");
    else if (st.st_uid != geteuid())
        rc = file_copy_bytes(program, to, r);
    else if (rename(program, to) != 0)
        rc = report_errno(r, "%s cannot be written", to);
    if (rc == 0 && chmod(to, 0755) != 0)
        rc = report_errno(r, "%s cannot be written", to);
    free(program);
    return rc;
}

/* Writes the file of t->digest. */
static int
take_digest(const struct build *b, struct report *r)
{
    struct buf ptx = {0};
    struct digest digest;
    int rc = build_read(b, PTX_NAME, &ptx, r);

    if (rc == 0) {
        digest_ptx(buf_str(&ptx), ptx.len, &digest);
        rc = digest_write(b->target->digest, &digest, r);
    } else {
        report_prefix(r, "what nvcc kept");
    }
    buf_free(&ptx);
    return rc;
}

/* The build folder stays if there is a program that must be assembled. */
static int
build_program(const struct target *t, const char *cache, const char *folder,
              const char *to, char **message, struct report *r)
{
    struct buf output = {0};
    enum tool_end end;
    struct build b;
    int rc;

    if (build_open(t, cache, folder, &b, r) != 0)
        return -1;
    *message = NULL;
    rc = tool_compile_best(&b, &output, &end, r);
    if (rc == 0 && end != TOOL_OK) {
        *message = message_compile(t, end, &output);
    } else if (rc == 0) {
        buf_clear(&output);
        rc = tool_link(&b, &output, &end, r);
        if (rc == 0 && end != TOOL_OK)
            *message = message_link(t, end, &output);
        else if (rc == 0)
            rc = take_program(&b, to, r);
        if (rc == 0 && *message == NULL && t->digest != NULL)
            rc = take_digest(&b, r);
    }
    buf_free(&output);
    if (rc == 0 && *message == NULL && t->assembly != NULL)
        build_free(&b);
    else
        build_close(&b);
    return rc;
}

static bool
take_cached(const struct target *t, const char *cache, const char *key, const char *to)
{
    char assembly_key[CACHE_KEY_LEN], digest_key[CACHE_KEY_LEN];

    cache_part_key("assembly", key, assembly_key);
    cache_part_key("digest", key, digest_key);
    return cache_get(cache, key, to) &&
           (t->assembly == NULL || cache_get(cache, assembly_key, t->assembly)) &&
           (t->digest == NULL || cache_get(cache, digest_key, t->digest));
}

static int
keep_cached(const struct target *t, const char *cache, const char *key, const char *to,
            struct report *r)
{
    char digest_key[CACHE_KEY_LEN];

    cache_part_key("digest", key, digest_key);
    if (cache_put(cache, key, to, r) != 0)
        return -1;
    return t->digest != NULL ? cache_put(cache, digest_key, t->digest, r) : 0;
}

int
compile_check_toolkit(const struct target *t, struct report *r)
{
    if (t->kind == PROGRAM_C)
        return 0;
    if (t->config->nvcc == NULL)
        return report_fail(r, "nvcc was not found: install the CUDA Toolkit, put its bin "
                              "folder on PATH, or set WARPJUDGE_NVCC");
    if (t->config->cuda_root == NULL)
        return report_fail(r,
                           "%s does not say where its CUDA Toolkit is: set "
                           "WARPJUDGE_NVCC to the nvcc in the toolkit's own bin folder",
                           t->config->nvcc);
    return 0;
}

/* The message of the process that was waited for, or NULL. It lies at `path` meanwhile.
 */
static char *
take_refusal(const char *cache, const char *refusal_key, const char *path)
{
    struct buf text = {0};
    struct report why = {0}; /* one that cannot be read is found out again */
    char *message = NULL;

    if (cache_get(cache, refusal_key, path) &&
        file_read(path, REFUSAL_BYTES_MAX, &text, &why) == 0 && text.len > 0)
        message = buf_take(&text);
    buf_free(&text);
    unlink(path);
    return message;
}

/* Keeps a message for the processes that wait for this one. */
static int
keep_refusal(const char *cache, const char *refusal_key, const char *path,
             const char *message, struct report *r)
{
    int rc = file_write(path, message, strlen(message), r);

    if (rc == 0)
        rc = cache_put(cache, refusal_key, path, r);
    unlink(path);
    return rc;
}

/* Compiles what is not in the cache, and keeps it there. */
static int
make_program(const struct target *t, const char *cache, const char *key,
             const char *folder, const char *to, struct compiled *o, struct report *r)
{
    if (build_program(t, cache, folder, to, &o->message, r) != 0)
        return -1;
    if (o->message == NULL && keep_cached(t, cache, key, to, r) != 0)
        report_prefix(r, "the compiler's cache");
    o->unassembled = o->message == NULL && t->assembly != NULL;
    return 0;
}

/* Does the same for a program that other processes may want at the same time. One of them
 * compiles, and the others wait for what comes of that: a program, or a refusal. */
static int
make_common_program(const struct target *t, const char *cache, const char *key,
                    const char *folder, const char *to, struct compiled *o,
                    struct report *r)
{
    char refusal_key[CACHE_KEY_LEN];
    char *path = xasprintf("%s.refusal", to);
    bool waited;
    const int claim = cache_claim(cache, key, &waited);
    int rc = 0;

    cache_part_key("refusal", key, refusal_key);
    o->cached = take_cached(t, cache, key, to);
    if (!o->cached && waited)
        o->message = take_refusal(cache, refusal_key, path);
    if (!o->cached && o->message == NULL) {
        cache_forget(cache, refusal_key);
        rc = make_program(t, cache, key, folder, to, o, r);
        if (rc == 0 && o->message != NULL &&
            keep_refusal(cache, refusal_key, path, o->message, r) != 0)
            report_prefix(r, "the compiler's cache");
    }
    if (claim >= 0)
        close(claim);
    free(path);
    return rc;
}

int
compile_target(const struct target *t, const char *cache, const char *folder,
               const char *to, struct compiled *out, struct report *r)
{
    char key[CACHE_KEY_LEN];
    struct compiled o = {0};
    int rc = 0;

    if (compile_check_toolkit(t, r) != 0 || cache_key(t, key, r) != 0)
        return -1;
    if (unlink(to) != 0 && access(to, F_OK) == 0)
        return report_errno(r, "%s cannot be replaced", to);
    o.cached = take_cached(t, cache, key, to);
    if (!o.cached)
        rc = (t->common ? make_common_program : make_program)(t, cache, key, folder, to,
                                                              &o, r);
    if (rc == 0)
        *out = o;
    return rc;
}

/* Runs ptxas and writes t->assembly, or makes a message. */
static int
assemble_program(const struct build *b, char **message, struct report *r)
{
    struct buf ptx = {0}, image = {0}, output = {0}, text = {0};
    enum tool_end end;
    int rc = build_read(b, PTX_NAME, &ptx, r);

    if (rc == 0)
        rc = build_read(b, FATBIN_NAME, &image, r);
    if (rc != 0)
        report_prefix(r, "what nvcc kept");
    if (rc == 0)
        rc = tool_assemble(b, &output, &end, r);
    if (rc == 0 && end != TOOL_OK) {
        *message = message_assemble(b->target, end, &output, buf_str(&ptx));
    } else if (rc == 0) {
        assembly_text(buf_str(&output), &image, &text);
        rc = file_write(b->target->assembly, buf_str(&text), text.len, r);
    }
    buf_free(&ptx);
    buf_free(&image);
    buf_free(&output);
    buf_free(&text);
    return rc;
}

int
compile_assemble(const struct target *t, const char *cache, const char *folder,
                 struct compiled *out, struct report *r)
{
    char key[CACHE_KEY_LEN], assembly_key[CACHE_KEY_LEN];
    struct build b;
    int rc = cache_key(t, key, r);

    build_open_again(t, folder, &b);
    if (rc == 0)
        rc = assemble_program(&b, &out->message, r);
    build_close(&b);
    cache_part_key("assembly", key, assembly_key);
    if (rc == 0 && out->message == NULL &&
        cache_put(cache, assembly_key, t->assembly, r) != 0)
        report_prefix(r, "the compiler's cache");
    return rc;
}
