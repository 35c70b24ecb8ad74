/*
 * The command lines of the tools. nvcc makes PTX for emu (compute_80, which the
 * emulated GPU executes) and the GPU's own code for a GPU. We link through g++, which
 * knows where libc and libstdc++ are. The linker is gold where there is one: it takes
 * half the time of ld.bfd, which matters to somebody who waits for a verdict.
 */
#include "compile/tools.h"
#include "compile/libraries.h"
#include "compile/nvcc_steps.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARGV_MAX 48
#define SHELL "/bin/sh"
#define GCC "/usr/bin/gcc"
#define GXX "/usr/bin/g++"
#define GOLD "/usr/bin/ld.gold"
#define OURS_BYTES_MAX ((size_t)64 << 20)

/* Device lambdas cost every source half a second, since nvcc includes <functional> for
 * them. So only what is compiled a second time has them. */
static const char *const STANDARD[TOOL_STANDARDS][3] = {
    [TOOL_CXX17] = {"-std=c++17", NULL},
    [TOOL_CXX20] = {"-std=c++20", "--extended-lambda", NULL},
};

/* An argument vector and the strings that were made for it. */
struct command {
    const char *argv[ARGV_MAX];
    int argc;
    char *made[8];
    int made_count;
};

static void
command_add(struct command *c, const char *arg)
{
    if (c->argc < ARGV_MAX - 1)
        c->argv[c->argc++] = arg;
}

/* Adds arg and takes its ownership. */
static void
command_add_made(struct command *c, char *arg)
{
    c->made[c->made_count++] = arg;
    command_add(c, arg);
}

static void
command_free(struct command *c)
{
    for (int i = 0; i < c->made_count; i++)
        free(c->made[i]);
}

static void
command_add_all(struct command *c, const char *const *args)
{
    for (; *args != NULL; args++)
        command_add(c, *args);
}

/* Has nvcc keep its files, and run faster (nvcc_steps.h). */
static void
command_add_keeper(struct command *c)
{
    command_add(c, SHELL);
    command_add(c, "-c");
    command_add(c, nvcc_steps_script);
    command_add(c, SHELL);
}

static void
nvcc_command(const struct target *t, const char *const *standard, struct command *c)
{
    /* -w hides warnings. --cudart none: nvcc does not link. -I. serves solve.h in angle
     * brackets. -noprof: libraries.c says what can be included. Without the relaxed
     * constexpr, fmax(0, x) and sqrt(2) are errors in a kernel: for mixed types and
     * integers <cmath> has only templates of the host. */
    static const char *const fixed[] = {
        "-noprof",    "-c",         "-O3",
        "-lineinfo",  "-w",         "--expt-relaxed-constexpr",
        "-Xcompiler", "-fPIC",      "-I.",
        "-I",         INCLUDE_NAME, "-isystem",
        INCLUDE_CCCL, "--cudart",   "none",
        NULL};
    const char *digits = strchr(t->arch, '_') != NULL ? strchr(t->arch, '_') + 1 : "80";

    if (t->assembly != NULL || t->digest != NULL)
        command_add_keeper(c);
    command_add_made(c, xasprintf("%s/bin/nvcc", t->config->cuda_root));
    command_add_all(c, fixed);
    command_add_all(c, standard);
    if (t->arithmetic == ARITHMETIC_UNCONTRACTED)
        command_add(c, "--fmad=false");
    command_add(c, "-gencode");
    command_add_made(c, xasprintf("arch=compute_%s,code=%s_%s", digits,
                                  t->kind == PROGRAM_EMU ? "compute" : "sm", digits));
    command_add(c, "-o");
    command_add(c, OBJECT_NAME);
    command_add(c, WRAPPER_NAME);
}

/* ptxas of the GPU's architecture. On emu it is the modelled device's, or the newer one
 * that the spec asks for. -w: a warning may quote the source, and would read as what -v
 * says. */
static void
ptxas_command(const struct target *t, struct command *c)
{
    const char *digits = strchr(t->arch, '_') != NULL ? strchr(t->arch, '_') + 1 : "";

    command_add_made(c, xasprintf("%s/bin/ptxas", t->config->cuda_root));
    if (t->kind == PROGRAM_EMU && strtol(digits, NULL, 10) < ASSEMBLY_ARCH)
        command_add_made(c, xasprintf("-arch=sm_%d", ASSEMBLY_ARCH));
    else
        command_add_made(c, xasprintf("-arch=sm_%s", digits));
    command_add(c, "-w");
    command_add(c, "-v");
    command_add(c, "-o");
    command_add(c, CUBIN_NAME);
    command_add(c, PTX_NAME);
}

static void
gcc_command(const struct target *t, struct command *c)
{
    static const char *const fixed[] = {
        GCC,     "-c", "-std=gnu17", "-D_GNU_SOURCE", "-O3",
        "-fPIC", "-w", "-o",         OBJECT_NAME,     NULL};
    /* A reference's arithmetic is what its text says. */
    static const char *const as_written[] = {"-ffp-contract=off", NULL};
    /* -fassociative-math lets gcc keep several partial sums, as a kernel does. It wants
     * the two flags that follow. */
    static const char *const contracted[] = {"-mfma",
                                             "-ffp-contract=fast",
                                             "-fassociative-math",
                                             "-fno-signed-zeros",
                                             "-fno-trapping-math",
                                             NULL};

    command_add_all(c, fixed);
    command_add_all(c, t->arithmetic == ARITHMETIC_USUAL ? as_written : contracted);
    command_add(c, C_WRAPPER_NAME);
}

static void
command_add_libraries(const struct target *t, struct command *c)
{
    bool any = false;

    for (int l = LIBRARY_COUNT - 1; l >= 0; l--) {
        const char *const *flags = libraries_to_link((enum library)l);

        if ((t->libraries & LIBRARY_BIT(l)) == 0 || *flags == NULL)
            continue;
        if (!any) {
            command_add_made(c, xasprintf("-L%s/lib64", t->config->cuda_root));
            command_add_made(c, xasprintf("-Wl,-rpath,%s/lib64", t->config->cuda_root));
        }
        any = true;
        command_add_all(c, flags);
    }
}

static void
link_command(const struct target *t, const char *lib, struct command *c)
{
    /* guest.o refers to these functions only weakly, so that C references need no
     * runtime. */
    static const char *const runtime[] = {"-Wl,-u,cudaDeviceSynchronize",
                                          "-Wl,-u,cudaGetLastError",
                                          "-Wl,-u,cudaGetErrorName",
                                          "-Wl,-u,cudaGetErrorString",
                                          "-Wl,-u,cudaGetDevice",
                                          "-Wl,-u,cudaSetDevice",
                                          NULL};
    /* All symbols are bound when the program is loaded: no timed call has to bind one,
     * and a missing one gives a message in time. The map (guest.map) hides all other
     * symbols, so that programs that a runner loads one after the other do not mix. */
    static const char *const shared[] = {"-shared", "-Wl,-z,now", "-Wl,-z,defs", NULL};
    static const char *const system[] = {"-ldl", "-lrt", "-lpthread", "-lm", NULL};

    command_add(c, GXX);
    if (access(GOLD, X_OK) == 0)
        command_add(c, "-fuse-ld=gold");
    command_add_all(c, shared);
    command_add_made(c, xasprintf("-Wl,--version-script=%s/guest.map", lib));
    if (t->kind != PROGRAM_C)
        command_add_all(c, runtime);
    command_add(c, "-o");
    command_add(c, PROGRAM_NAME);
    command_add_made(c, xasprintf("%s/guest.o", lib));
    command_add(c, OBJECT_NAME);
    if (t->kind == PROGRAM_EMU)
        command_add_made(c, xasprintf("%s/libcudart_emu.a", lib));
    if (t->kind == PROGRAM_GPU) {
        command_add_libraries(t, c);
        command_add_made(c,
                         xasprintf("%s/lib64/libcudart_static.a", t->config->cuda_root));
    }
    command_add_all(c, system);
}

int
tool_compile(const struct build *b, enum tool_standard standard, struct buf *output,
             enum tool_end *end, struct report *r)
{
    struct command c = {0};
    int rc;

    if (b->target->kind == PROGRAM_C)
        gcc_command(b->target, &c);
    else
        nvcc_command(b->target, STANDARD[standard], &c);
    rc = build_run(b, c.argv, output, end, r);
    command_free(&c);
    return rc;
}

static int
count_errors(const struct buf *output)
{
    int count = 0;

    for (const char *at = buf_str(output); (at = strstr(at, "error: ")) != NULL; at++)
        count++;
    return count;
}

int
tool_compile_best(const struct build *b, struct buf *output, enum tool_end *end,
                  struct report *r)
{
    struct buf again = {0};
    enum tool_end later;
    int rc = tool_compile(b, TOOL_CXX17, output, end, r);

    if (rc != 0 || *end != TOOL_ERRORS || b->target->kind == PROGRAM_C)
        return rc;
    rc = tool_compile(b, TOOL_CXX20, &again, &later, r);
    if (rc == 0 && (later == TOOL_OK || (later == TOOL_ERRORS &&
                                         count_errors(&again) < count_errors(output)))) {
        struct buf first = *output;

        *output = again;
        again = first;
        *end = later;
    }
    buf_free(&again);
    return rc;
}

int
tool_link(const struct build *b, struct buf *output, enum tool_end *end, struct report *r)
{
    struct command c = {0};
    int rc;

    link_command(b->target, b->lib, &c);
    rc = build_run(b, c.argv, output, end, r);
    command_free(&c);
    return rc;
}

int
tool_assemble(const struct build *b, struct buf *output, enum tool_end *end,
              struct report *r)
{
    struct command c = {0};
    int rc;

    ptxas_command(b->target, &c);
    rc = build_run_verbose(b, c.argv, output, end, r);
    command_free(&c);
    return rc;
}

int
tool_disassemble(const struct build *b, struct buf *output, enum tool_end *end,
                 struct report *r)
{
    /* Its output is larger than what is kept of a tool's. */
    static const char script[] = "exec \"$0\" -c -gi " CUBIN_NAME " >" SASS_NAME;
    char *program = xasprintf("%s/bin/" DISASSEMBLER, b->target->config->cuda_root);
    const char *argv[] = {SHELL, "-c", script, program, NULL};
    int rc = build_run(b, argv, output, end, r);

    free(program);
    return rc;
}

int
tool_compile_sanitized(const struct build *b, struct buf *output, enum tool_end *end,
                       struct report *r)
{
    /* With -O1 AddressSanitizer is fast enough, and lines are still those of the text. */
    static const char *const argv[] = {GCC,
                                       "-std=gnu17",
                                       "-D_GNU_SOURCE",
                                       "-O1",
                                       "-g",
                                       "-w",
                                       "-fsanitize=address",
                                       "-fno-omit-frame-pointer",
                                       "-fno-optimize-sibling-calls",
                                       "-ffp-contract=off",
                                       "-o",
                                       PROGRAM_NAME,
                                       C_WRAPPER_NAME,
                                       C_MAIN_NAME,
                                       "-lm",
                                       "-lpthread",
                                       NULL};

    return build_run(b, argv, output, end, r);
}

int
tool_run_sanitized(const struct build *b, struct buf *output, enum tool_end *end,
                   struct report *r)
{
    char *program =
        xasprintf("%s/" PROGRAM_NAME, b->target->insecure ? b->folder : BUILD_INSIDE);
    const char *const argv[] = {program, NULL};
    int rc = build_run_sanitized(b, argv, output, end, r);

    free(program);
    return rc;
}

static void
key_command(struct buf *key, const struct command *c)
{
    for (int i = 0; i < c->argc; i++)
        buf_printf(key, "%s\n", c->argv[i]);
}

/* Adds a tool of the system to the key as ccache does: a new version has another size
 * or modification time. */
static void
key_stat(struct buf *key, const char *path)
{
    struct stat st;

    if (stat(path, &st) == 0)
        buf_printf(key, "%s %jd %jd.%09ld\n", path, (intmax_t)st.st_size,
                   (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    else
        buf_printf(key, "%s absent\n", path);
}

/* Adds a file of ours by its bytes. It changes often, and a tarball may change its
 * times. */
static int
key_bytes(struct buf *key, const char *lib, const char *name, struct report *r)
{
    char *path = xasprintf("%s/%s", lib, name);
    struct buf bytes = {0};
    char hash[65];
    int rc = file_read(path, OURS_BYTES_MAX, &bytes, r);

    if (rc == 0) {
        hash_hex(buf_str(&bytes), bytes.len, hash);
        buf_printf(key, "%s %s\n", name, hash);
    }
    buf_free(&bytes);
    free(path);
    return rc;
}

int
tool_identity(const struct target *t, struct buf *key, struct report *r)
{
    static const char *const cuda[] = {"bin/nvcc",
                                       "bin/nvcc.profile",
                                       "bin/cudafe++",
                                       "bin/ptxas",
                                       "bin/fatbinary",
                                       "nvvm/bin/cicc",
                                       "lib64/libcudart_static.a"};
    struct command compile = {0}, link = {0}, assemble = {0};
    int rc = key_bytes(key, t->config->lib, "guest.o", r);

    if (rc == 0)
        rc = key_bytes(key, t->config->lib, "guest.map", r);
    if (rc == 0 && t->kind == PROGRAM_EMU)
        rc = key_bytes(key, t->config->lib, "libcudart_emu.a", r);
    key_stat(key, GCC);
    key_stat(key, GXX);
    key_stat(key, GOLD);
    if (t->kind == PROGRAM_C) {
        gcc_command(t, &compile);
    } else {
        for (size_t i = 0; i < sizeof cuda / sizeof *cuda; i++) {
            char *path = xasprintf("%s/%s", t->config->cuda_root, cuda[i]);

            key_stat(key, path);
            free(path);
        }
        for (int k = 0; k < TOOL_STANDARDS; k++)
            for (const char *const *arg = STANDARD[k]; *arg != NULL; arg++)
                buf_printf(key, "%s\n", *arg);
        nvcc_command(t, STANDARD[TOOL_CXX17], &compile);
    }
    link_command(t, LIB_INSIDE, &link);
    buf_printf(key, "libraries %u\n", t->libraries);
    key_command(key, &compile);
    key_command(key, &link);
    if (t->assembly != NULL) {
        ptxas_command(t, &assemble);
        key_command(key, &assemble);
        command_free(&assemble);
    }
    command_free(&compile);
    command_free(&link);
    return rc;
}
