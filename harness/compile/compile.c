/*
 * Theory of operation
 *
 *   source + problem + device  ->  target  ->  key  ->  in the cache? there it is
 *                                               |
 *                                               no: build folder, nvcc (or gcc) in a
 *                                               sandbox, link in a sandbox, into the
 * cache
 *
 * The tools read strangers' bytes, so they are sandboxed like submissions are; what they
 * leave in the build folder is looked at only after every process of theirs is dead, and
 * only if it is a regular file. A submission and a reference take the same way. What the
 * user's source did wrong is a message; what went wrong with us is a report.
 */
#include "compile/internal.h"

#include "core/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REFERENCE_BYTES_MAX ((size_t)1 << 20)

/* What came out of a target: a program, or words for the author of the source. */
struct outcome {
    char *message; /* NULL: there is a program; the caller frees */
    bool cached;
};

/* Moves the linker's result into place. */
static int
take_program(const struct build *b, const char *to, struct report *r)
{
    char *program = xasprintf("%s/" PROGRAM_NAME, b->folder);
    struct stat st;
    int rc = 0;

    if (lstat(program, &st) != 0 || !S_ISREG(st.st_mode))
        rc = report_fail(r, "the linker left no program");
    else if (chmod(program, 0755) != 0 || rename(program, to) != 0)
        rc = report_errno(r, "%s cannot be written", to);
    free(program);
    return rc;
}

static int
build_program(const struct target *t, const char *folder, const char *to, char **message,
              struct report *r)
{
    struct buf output = {0};
    enum tool_end end;
    struct build b;
    int rc;

    if (build_open(t, folder, &b, r) != 0)
        return -1;
    *message = NULL;
    rc = tool_compile(&b, &output, &end, r);
    if (rc == 0 && end != TOOL_OK) {
        *message = message_compile(t, end, &output);
    } else if (rc == 0) {
        buf_clear(&output);
        rc = tool_link(&b, &output, &end, r);
        if (rc == 0 && end != TOOL_OK)
            *message = message_link(t, end, &output);
        else if (rc == 0)
            rc = take_program(&b, to, r);
    }
    buf_free(&output);
    build_close(&b);
    return rc;
}

/* t -> the program `to`. A report with 0 is a warning: the cache could not be written. */
static int
make(const struct target *t, const char *cache, const char *folder, const char *to,
     struct outcome *out, struct report *r)
{
    char key[CACHE_KEY_LEN];
    struct outcome o = {0};

    if (t->kind != PROGRAM_C && t->config->nvcc == NULL)
        return report_fail(r, "nvcc was not found: install the CUDA Toolkit, put its bin "
                              "folder on PATH, or set WARPJUDGE_NVCC");
    if (t->kind != PROGRAM_C && t->config->cuda_root == NULL)
        return report_fail(r,
                           "%s does not say where its CUDA Toolkit is: set "
                           "WARPJUDGE_NVCC to the nvcc in the toolkit's own bin folder",
                           t->config->nvcc);
    if (cache_key(t, key, r) != 0)
        return -1;
    if (unlink(to) != 0 && access(to, F_OK) == 0)
        return report_errno(r, "%s cannot be replaced", to);
    o.cached = cache_get(cache, key, to);
    if (!o.cached) {
        if (build_program(t, folder, to, &o.message, r) != 0)
            return -1;
        if (o.message == NULL && cache_put(cache, key, to, r) != 0)
            report_prefix(r, "the compiler's cache");
    }
    *out = o;
    return 0;
}

/* "compute_80" and a spec that asks for "90": "compute_90". A GPU's own architecture
 * stays: nvcc says so if it is too old for the source. The caller frees. */
static char *
choose_arch(const struct job *j, const struct problem *p)
{
    static const char prefix[] = "compute_";

    if (p->arch != NULL && strncmp(j->arch, prefix, sizeof prefix - 1) == 0 &&
        strtol(p->arch, NULL, 10) > strtol(j->arch + sizeof prefix - 1, NULL, 10))
        return xasprintf("%s%s", prefix, p->arch);
    return xstrdup(j->arch);
}

static bool
is_emu(const struct job *j)
{
    return strcmp(j->device, "emu") == 0;
}

/* Takes o's message. */
static struct compile_result
result_of(const struct outcome *o, uint64_t begin_ns)
{
    return (struct compile_result){
        .ok = o->message == NULL,
        .verdict = o->message == NULL ? VERDICT_ACCEPTED : VERDICT_COMPILE_ERROR,
        .message = o->message != NULL ? o->message : xstrdup(""),
        .cached = o->cached,
        .seconds = (double)(now_ns() - begin_ns) / 1e9,
    };
}

int
compile_submission(const struct config *c, const struct job *j, const char *folder,
                   const struct problem *p, struct compile_result *out, struct report *r)
{
    char *source_path = xasprintf("%s/submission.cu", folder);
    char *build = xasprintf("%s/build-submission", folder);
    char *program = xasprintf("%s/submission", folder);
    char *name = compile_safe_name(j->filename), *arch = choose_arch(j, p);
    struct buf source = {0};
    const struct target t = {.config = c,
                             .problem = p,
                             .kind = is_emu(j) ? PROGRAM_EMU : PROGRAM_GPU,
                             .arch = arch,
                             .file_name = name,
                             .source = &source,
                             .insecure = j->insecure};
    uint64_t begin = now_ns();
    struct outcome o = {0};
    int rc = file_read(source_path, SOURCE_BYTES_MAX, &source, r);

    if (rc == 0)
        rc = make(&t, j->cache_dir, build, program, &o, r);
    if (rc == 0)
        *out = result_of(&o, begin);
    buf_free(&source);
    free(source_path);
    free(build);
    free(program);
    free(name);
    free(arch);
    return rc;
}

static int
write_kind(const char *folder, const char *kind, struct report *r)
{
    char *path = xasprintf("%s/reference.kind", folder);
    int rc = file_write(path, kind, strlen(kind), r);

    free(path);
    return rc;
}

/* One source of the problem's folder -> FOLDER/program. */
static int
make_of_problem(const struct config *c, const struct job *j, const char *folder,
                const struct problem *p, const char *name, const char *program_name,
                enum program_kind kind, enum program_role role, struct outcome *o,
                struct report *r)
{
    char *source_path = xasprintf("%s/%s", p->folder, name);
    char *build = xasprintf("%s/build-%s", folder, program_name);
    char *program = xasprintf("%s/%s", folder, program_name);
    char *arch = choose_arch(j, p);
    struct buf source = {0};
    const struct target t = {.config = c,
                             .problem = p,
                             .kind = kind,
                             .role = role,
                             .arch = arch,
                             .file_name = name,
                             .source = &source,
                             .insecure = j->insecure};
    int rc = file_read(source_path, REFERENCE_BYTES_MAX, &source, r);

    if (rc == 0)
        rc = make(&t, j->cache_dir, build, program, o, r);
    buf_free(&source);
    free(source_path);
    free(build);
    free(program);
    free(arch);
    return rc;
}

/* The problem's reference for j's device, its inputs.c and checker.c; *kind is what
 * reference.kind must say. */
static int
make_reference(const struct config *c, const struct job *j, const char *folder,
               const struct problem *p, const char **kind, struct outcome *o,
               struct report *r)
{
    const bool use_c = p->has_reference_c && (is_emu(j) || !p->has_reference_cu);
    const enum program_kind cu = is_emu(j) ? PROGRAM_EMU : PROGRAM_GPU;
    int rc = make_of_problem(c, j, folder, p, use_c ? "reference.c" : "reference.cu",
                             "reference", use_c ? PROGRAM_C : cu, ROLE_SOLVE, o, r);

    *kind = use_c ? "c" : "cu";
    if (rc == 0 && o->message == NULL && p->has_inputs_c)
        rc = make_of_problem(c, j, folder, p, "inputs.c", "inputs", PROGRAM_C,
                             ROLE_INPUTS, o, r);
    if (rc == 0 && o->message == NULL && p->has_checker_c)
        rc = make_of_problem(c, j, folder, p, "checker.c", "checker", PROGRAM_C,
                             ROLE_CHECKER, o, r);
    return rc;
}

int
compile_reference(const struct config *c, const struct job *j, const char *folder,
                  const struct problem *p, struct report *r)
{
    struct outcome o = {0};
    const char *kind;
    int rc = make_reference(c, j, folder, p, &kind, &o, r);

    if (rc == 0 && o.message != NULL) {
        r->text[0] = '\0'; /* the author's mistake matters more than a cache's warning */
        /* One line: more of it a submitter could not use, and the daemon keeps the last.
         */
        rc = report_fail(r,
                         "the reference of %s does not compile: %.*s (`warpjudge problem "
                         "check %s` says more)",
                         p->slug, (int)strcspn(o.message, "\n"), o.message, p->slug);
    }
    if (rc == 0)
        rc = write_kind(folder, kind, r);
    free(o.message);
    return rc;
}

int
compile_reference_alone(const struct config *c, const struct job *j, const char *folder,
                        const struct problem *p, struct compile_result *out,
                        struct report *r)
{
    const uint64_t begin = now_ns();
    struct outcome o = {0};
    const char *kind;
    int rc = make_reference(c, j, folder, p, &kind, &o, r);

    if (rc == 0 && o.message == NULL)
        rc = write_kind(folder, kind, r);
    if (rc == 0)
        *out = result_of(&o, begin);
    else
        free(o.message);
    return rc;
}
