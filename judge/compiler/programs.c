/* Chooses the sources, the architecture and the functions of each program of a job, and
 * has harness/compile make it. */
#include "compiler/programs.h"

#include "base/file.h"
#include "base/json.h"
#include "compile/bounds.h"
#include "compiler/listing.h"
#include "record/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_BYTES_MAX ((size_t)1 << 20)
#define SUBMISSION_NAME "submission"

/* The function that a problem's sources define, and the memory that it points to. */
struct problem_function {
    struct function function;
    struct function_param param[PROBLEM_PARAMS_MAX];
    char *signature;
};

static enum function_param_dir
function_dir(enum param_dir dir)
{
    switch (dir) {
    case DIR_IN:
        return FUNCTION_IN;
    case DIR_OUT:
        return FUNCTION_OUT;
    case DIR_INOUT:
        return FUNCTION_INOUT;
    case DIR_SCALAR:
        break;
    }
    return FUNCTION_SCALAR;
}

/* Fills f. It points into itself, and therefore must not be moved. */
static void
function_init(struct problem_function *f, const struct problem *p)
{
    f->signature = problem_signature(p);
    f->function = (struct function){.signature = f->signature,
                                    .param_count = p->param_count,
                                    .param = f->param,
                                    .variant_count = p->variant_count,
                                    .variant = p->variant};
    for (int i = 0; i < p->param_count; i++)
        f->param[i] = (struct function_param){.name = p->param[i].name,
                                              .type = p->param[i].type,
                                              .dir = function_dir(p->param[i].dir),
                                              .min = p->param[i].min,
                                              .max = p->param[i].max};
}

static void
function_free(struct problem_function *f)
{
    free(f->signature);
}

/* The architecture for nvcc, which the caller frees. On emu it is the spec's where that
 * is newer: "compute_90" for "compute_80" and a spec that asks for "90". A GPU's own
 * architecture stays, and nvcc reports where it is too old for the source. */
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

/* What all programs of one job have in common. */
struct program_maker {
    const struct config *config;
    const struct job *job;
    const char *folder; /* of the job */
    const struct problem *problem;
};

/* A target, and the memory that it points to. */
struct program_target {
    struct target target;
    struct problem_function function;
    struct buf source;
    char *arch, *assembly, *digest;
    char *build; /* the build folder */
};

/* Fills p for FOLDER/PROGRAM_NAME and a source of at most bytes_max bytes. The caller
 * sets the kind, the role and the source's name in t. p points into itself, and therefore
 * must not be moved. The caller frees it, whatever is returned. */
static int
program_open(struct program_target *p, const struct program_maker *m,
             const char *source_path, size_t bytes_max, const char *program_name,
             const struct target *t, struct report *r)
{
    *p = (struct program_target){
        .target = *t,
        .arch = choose_arch(m->job, m->problem),
        .build = xasprintf("%s/build-%s", m->folder, program_name),
    };
    /* Nothing that is ranked follows from a reference's registers. */
    if (t->kind == PROGRAM_EMU && strcmp(program_name, SUBMISSION_NAME) == 0)
        p->assembly = xasprintf("%s/" ASSEMBLY_FILE, m->folder);
    if (strcmp(program_name, SUBMISSION_NAME) == 0)
        p->digest = xasprintf("%s/" DIGEST_FILE, m->folder);
    function_init(&p->function, m->problem);
    p->target.config = m->config;
    p->target.function = &p->function.function;
    p->target.libraries = m->problem->libraries;
    p->target.arch = p->arch;
    p->target.source = &p->source;
    p->target.assembly = p->assembly;
    p->target.digest = p->digest;
    p->target.insecure = m->job->insecure;
    return file_read(source_path, bytes_max, &p->source, r);
}

static void
program_close(struct program_target *p)
{
    function_free(&p->function);
    buf_free(&p->source);
    free(p->build);
    free(p->arch);
    free(p->assembly);
    free(p->digest);
}

/* Compiles the file at source_path to FOLDER/PROGRAM_NAME, as program_open says. */
static int
program_make(const struct program_maker *m, const char *source_path, size_t bytes_max,
             const char *program_name, const struct target *t, struct compiled *out,
             struct report *r)
{
    char *program = xasprintf("%s/%s", m->folder, program_name);
    struct program_target p;
    int rc = program_open(&p, m, source_path, bytes_max, program_name, t, r);

    if (rc == 0)
        rc = compile_target(&p.target, m->job->cache_dir, p.build, program, out, r);
    program_close(&p);
    free(program);
    return rc;
}

/* The result of a compilation that began at begin_ns. It takes over the message of c. */
static struct compile_result
result_of(const struct compiled *c, uint64_t begin_ns)
{
    return (struct compile_result){
        .ok = c->message == NULL,
        .verdict = c->message == NULL ? VERDICT_ACCEPTED : VERDICT_COMPILE_ERROR,
        .message = c->message != NULL ? c->message : xstrdup(""),
        .cached = c->cached,
        .seconds = (double)(now_ns() - begin_ns) / 1e9,
    };
}

static enum arithmetic
arithmetic_of(const struct job *j)
{
    return j->uncontracted ? ARITHMETIC_UNCONTRACTED : ARITHMETIC_USUAL;
}

/* Adds the digests of a submission, of which the PTX has one if it compiled. */
static int
add_digests(const char *folder, const char *source_path, struct compile_result *c,
            struct report *r)
{
    char *path = xasprintf("%s/" DIGEST_FILE, folder);
    struct buf source = {0};
    int rc = file_read(source_path, SOURCE_BYTES_MAX, &source, r);

    if (rc == 0)
        digest_source(buf_str(&source), source.len, &c->source);
    if (rc == 0 && c->ok)
        rc = digest_read(path, &c->ptx, r);
    buf_free(&source);
    free(path);
    return rc;
}

int
compile_submission(const struct config *c, const struct job *j, const char *folder,
                   const struct problem *p, struct compile_result *out, bool *unassembled,
                   struct report *r)
{
    const struct program_maker m = {c, j, folder, p};
    const uint64_t begin_ns = now_ns();
    char *source_path = xasprintf("%s/submission.cu", folder);
    char *name = compile_safe_name(j->filename);
    const struct target t = {.kind = is_emu(j) ? PROGRAM_EMU : PROGRAM_GPU,
                             .role = ROLE_SOLVE,
                             .arithmetic = arithmetic_of(j),
                             .file_name = name};
    struct compiled o = {0};
    int rc = program_make(&m, source_path, SOURCE_BYTES_MAX, SUBMISSION_NAME, &t, &o, r);

    if (rc == 0) {
        struct compile_result made = result_of(&o, begin_ns);

        rc = add_digests(folder, source_path, &made, r);
        if (rc != 0)
            compile_result_free(&made);
        else
            *out = made;
        *unassembled = o.unassembled;
    }
    free(source_path);
    free(name);
    return rc;
}

int
assemble_submission(const struct config *c, const struct job *j, const char *folder,
                    const struct problem *problem, struct compile_result *out,
                    struct report *r)
{
    const struct program_maker m = {c, j, folder, problem};
    char *source_path = xasprintf("%s/submission.cu", folder);
    char *name = compile_safe_name(j->filename);
    const struct target t = {.kind = PROGRAM_EMU,
                             .role = ROLE_SOLVE,
                             .arithmetic = arithmetic_of(j),
                             .file_name = name};
    struct program_target p;
    struct compiled o = {0};
    int rc = program_open(&p, &m, source_path, SOURCE_BYTES_MAX, SUBMISSION_NAME, &t, r);

    if (rc == 0)
        rc = compile_assemble(&p.target, j->cache_dir, p.build, &o, r);
    if (rc == 0 && o.message != NULL) {
        free(out->message);
        out->ok = false;
        out->verdict = VERDICT_COMPILE_ERROR;
        out->message = o.message;
    }
    program_close(&p);
    free(source_path);
    free(name);
    return rc;
}

/* The architecture of the machine code that a job's listing shows. */
static char *
listing_arch(const struct job *j, const char *arch)
{
    const char *digits = strchr(arch, '_');
    const long number = digits != NULL ? strtol(digits + 1, NULL, 10) : 0;

    return is_emu(j) && number < ASSEMBLY_ARCH
               ? xasprintf("sm_%d", ASSEMBLY_ARCH)
               : xasprintf("sm%s", digits != NULL ? digits : "");
}

static int
listing_write(const struct program_maker *m, const struct program_target *p,
              const struct listing *l, const struct listing_wanted *wanted,
              struct report *r)
{
    char *path = xasprintf("%s/" LISTING_FILE, m->folder);
    char *arch = listing_arch(m->job, p->arch);
    cJSON *json = listing_json(l, wanted, buf_str(&p->source), p->target.file_name, arch);
    int rc = json_write_file(path, json, r);

    cJSON_Delete(json);
    free(arch);
    free(path);
    return rc;
}

int
list_submission(const struct config *c, const struct job *j, const char *folder,
                const struct problem *problem, const struct listing_wanted *wanted,
                struct compile_result *out, struct report *r)
{
    const struct program_maker m = {c, j, folder, problem};
    const uint64_t begin_ns = now_ns();
    char *source_path = xasprintf("%s/submission.cu", folder);
    char *name = compile_safe_name(j->filename);
    const struct target t = {.kind = is_emu(j) ? PROGRAM_EMU : PROGRAM_GPU,
                             .role = ROLE_SOLVE,
                             .file_name = name};
    struct program_target p;
    struct listing l = {0};
    int rc = program_open(&p, &m, source_path, SOURCE_BYTES_MAX, SUBMISSION_NAME, &t, r);

    if (rc == 0)
        rc = compile_listing(&p.target, wanted->form, j->cache_dir, p.build, &l, r);
    if (rc == 0 && l.message == NULL)
        rc = listing_write(&m, &p, &l, wanted, r);
    if (rc == 0) {
        *out = result_of(&(struct compiled){.message = l.message}, begin_ns);
        l.message = NULL;
    }
    listing_free(&l);
    program_close(&p);
    free(source_path);
    free(name);
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

/* Compiles the source NAME of the problem's folder to FOLDER/PROGRAM_NAME. */
static int
make_of_problem(const struct program_maker *m, const char *name, const char *program_name,
                struct target t, struct compiled *o, struct report *r)
{
    char *source_path = xasprintf("%s/%s", m->problem->folder, name);
    int rc;

    t.file_name = name;
    t.common = true;
    rc = program_make(m, source_path, REFERENCE_BYTES_MAX, program_name, &t, o, r);

    free(source_path);
    return rc;
}

/* Compiles the problem's reference for the job's device, its inputs.c and its checker.c.
 * *kind is what reference.kind must hold. */
static int
make_reference(const struct program_maker *m, const char **kind, struct compiled *o,
               struct report *r)
{
    const struct problem *p = m->problem;
    const bool use_c = p->has_reference_c && (is_emu(m->job) || !p->has_reference_cu);
    const enum program_kind cu = is_emu(m->job) ? PROGRAM_EMU : PROGRAM_GPU;
    int rc = make_of_problem(m, use_c ? "reference.c" : "reference.cu", "reference",
                             (struct target){.kind = use_c ? PROGRAM_C : cu}, o, r);

    *kind = use_c ? "c" : "cu";
    if (rc == 0 && o->message == NULL && p->has_inputs_c)
        rc = make_of_problem(m, "inputs.c", "inputs",
                             (struct target){.kind = PROGRAM_C, .role = ROLE_INPUTS}, o,
                             r);
    if (rc == 0 && o->message == NULL && p->has_checker_c)
        rc = make_of_problem(m, "checker.c", "checker",
                             (struct target){.kind = PROGRAM_C, .role = ROLE_CHECKER}, o,
                             r);
    return rc;
}

int
compile_reference(const struct config *c, const struct job *j, const char *folder,
                  const struct problem *p, struct report *r)
{
    const struct program_maker m = {c, j, folder, p};
    struct compiled o = {0};
    const char *kind;
    int rc = make_reference(&m, &kind, &o, r);

    if (rc == 0 && o.message != NULL) {
        r->text[0] = '\0'; /* the author's mistake matters more than a cache's warning */
        /* The report is one line. A submitter could not use more, and the daemon keeps
         * only the last line. */
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

/* Compiles the reference in C with the other arithmetics. */
static int
make_roundings(const struct program_maker *m, struct compiled *o, struct report *r)
{
    struct target t = {.kind = PROGRAM_C, .arithmetic = ARITHMETIC_CONTRACTED};
    int rc = make_of_problem(m, "reference.c", "reference-contracted", t, o, r);

    if (rc != 0 || o->message != NULL)
        return rc;
    for (int i = 0; i < m->problem->param_count; i++)
        if (m->problem->param[i].type == DTYPE_F64)
            return 0;
    t.arithmetic = ARITHMETIC_FLOAT;
    return make_of_problem(m, "reference.c", "reference-float", t, o, r);
}

int
compile_reference_alone(const struct config *c, const struct job *j, const char *folder,
                        const struct problem *p, struct compile_result *out,
                        struct report *r)
{
    const struct program_maker m = {c, j, folder, p};
    const uint64_t begin_ns = now_ns();
    struct compiled o = {0};
    const char *kind;
    int rc = make_reference(&m, &kind, &o, r);

    if (rc == 0 && o.message == NULL && strcmp(kind, "c") == 0)
        rc = make_roundings(&m, &o, r);
    if (rc == 0 && o.message == NULL)
        rc = write_kind(folder, kind, r);
    if (rc == 0)
        *out = result_of(&o, begin_ns);
    else
        free(o.message);
    return rc;
}

/* --- where a reference leaves its buffers ------------------------------------------- */

/* Adds the line to the last finding about the reference. */
static int
tell_bounds(const char *folder, const char *name, const struct bounds *found,
            struct report *r)
{
    struct findings list = {0};
    int rc = findings_read(folder, &list, r), last = -1;

    for (int i = 0; i < list.count; i++)
        if (strcmp(list.list[i].where, name) == 0)
            last = i;
    if (rc == 0 && last >= 0) {
        struct finding *f = &list.list[last];
        char *sentence =
            xasprintf("%s; line %d %s", f->sentence, found->line, found->what);

        free(f->sentence);
        f->sentence = sentence;
        free(f->where);
        f->where = xasprintf("%s:%d", name, found->line);
        rc = findings_write(folder, &list, r);
    }
    findings_free(&list);
    return rc;
}

int
find_bounds(const struct config *c, const struct job *j, const char *folder,
            const struct problem *p, struct report *r)
{
    static const char name[] = "reference.c";
    const struct program_maker m = {c, j, folder, p};
    const struct target t = {.kind = PROGRAM_C, .file_name = name};
    char *source = xasprintf("%s/%s", p->folder, name);
    char *values = xasprintf("%s/" JOB_CALL_FOLDER, folder);
    struct program_target program;
    struct bounds found = {0};
    int rc = program_open(&program, &m, source, REFERENCE_BYTES_MAX, "bounds", &t, r);

    if (rc == 0)
        rc = bounds_find(&program.target, program.build, values, &found, r);
    if (rc == 0 && found.what != NULL)
        rc = tell_bounds(folder, name, &found, r);
    free(found.what);
    program_close(&program);
    free(values);
    free(source);
    return rc;
}
