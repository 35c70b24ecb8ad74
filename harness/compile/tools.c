/*
 * Command lines. nvcc makes PTX for emu (compute_80: what the emulated GPU executes) and
 * the GPU's own code for a GPU; the linker is run through g++, which knows where libc and
 * libstdc++ are, and is gold where there is one: half the time of ld.bfd, which counts
 * when somebody waits for a verdict.
 */
#include "compile/internal.h"

#include "core/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARGV_MAX 48
#define GCC "/usr/bin/gcc"
#define GXX "/usr/bin/g++"
#define GOLD "/usr/bin/ld.gold"
#define OURS_BYTES_MAX ((size_t)64 << 20)

/* An argument vector and the strings that were made for it. */
struct command {
    const char *argv[ARGV_MAX];
    int argc;
    char *made[8];
    int made_count;
};

static void
add(struct command *c, const char *arg)
{
    if (c->argc < ARGV_MAX - 1)
        c->argv[c->argc++] = arg;
}

/* Takes arg's ownership. */
static void
add_made(struct command *c, char *arg)
{
    c->made[c->made_count++] = arg;
    add(c, arg);
}

static void
command_free(struct command *c)
{
    for (int i = 0; i < c->made_count; i++)
        free(c->made[i]);
}

static void
add_all(struct command *c, const char *const *args)
{
    for (; *args != NULL; args++)
        add(c, *args);
}

static void
nvcc_command(const struct target *t, struct command *c)
{
    /* -w: warnings are not shown; --cudart none: nvcc must not have an opinion, it does
     * not link. -I. is for solve.h in angle brackets. -noprof: libraries.c
     * says what can be included. */
    static const char *const fixed[] = {
        "-noprof",    "-c",       "-std=c++17", "-O3", "-lineinfo",  "-w",
        "-Xcompiler", "-fPIC",    "-I.",        "-I",  INCLUDE_NAME, "-isystem",
        INCLUDE_CCCL, "--cudart", "none",       NULL};
    const char *digits = strchr(t->arch, '_') != NULL ? strchr(t->arch, '_') + 1 : "80";

    add_made(c, xasprintf("%s/bin/nvcc", t->config->cuda_root));
    add_all(c, fixed);
    add(c, "-gencode");
    add_made(c, xasprintf("arch=compute_%s,code=%s_%s", digits,
                          t->kind == PROGRAM_EMU ? "compute" : "sm", digits));
    add(c, "-o");
    add(c, OBJECT_NAME);
    add(c, WRAPPER_NAME);
}

static void
gcc_command(struct command *c)
{
    /* No contraction: a reference's arithmetic is what its text says. */
    static const char *const fixed[] = {
        GCC,     "-c", "-std=gnu17", "-D_GNU_SOURCE", "-O3",          "-ffp-contract=off",
        "-fPIC", "-w", "-o",         OBJECT_NAME,     C_WRAPPER_NAME, NULL};

    add_all(c, fixed);
}

static void
add_libraries(const struct target *t, struct command *c)
{
    bool any = false;

    for (int l = LIBRARY_COUNT - 1; l >= 0; l--) {
        const char *const *flags = libraries_to_link((enum library)l);

        if ((t->libraries & LIBRARY_BIT(l)) == 0 || *flags == NULL)
            continue;
        if (!any) {
            add_made(c, xasprintf("-L%s/lib64", t->config->cuda_root));
            add_made(c, xasprintf("-Wl,-rpath,%s/lib64", t->config->cuda_root));
        }
        any = true;
        add_all(c, flags);
    }
}

static void
link_command(const struct target *t, const char *lib, struct command *c)
{
    /* Functions that guest.o only refers to weakly, so that C references need no
     * runtime. */
    static const char *const runtime[] = {"-Wl,-u,cudaDeviceSynchronize",
                                          "-Wl,-u,cudaGetLastError",
                                          "-Wl,-u,cudaGetErrorName",
                                          "-Wl,-u,cudaGetErrorString",
                                          "-Wl,-u,cudaGetDevice",
                                          "-Wl,-u,cudaSetDevice",
                                          NULL};
    /* Symbols are bound before the first call, not in the middle of a timed one; none is
     * left to be found when it is too late for a message; and what a runner loads one
     * after the other does not mix. */
    static const char *const shared[] = {"-shared", "-Wl,-z,now", "-Wl,-z,defs", NULL};
    static const char *const system[] = {"-ldl", "-lrt", "-lpthread", "-lm", NULL};

    add(c, GXX);
    if (access(GOLD, X_OK) == 0)
        add(c, "-fuse-ld=gold");
    add_all(c, shared);
    add_made(c, xasprintf("-Wl,--version-script=%s/guest.map", lib));
    if (t->kind != PROGRAM_C)
        add_all(c, runtime);
    add(c, "-o");
    add(c, PROGRAM_NAME);
    add_made(c, xasprintf("%s/guest.o", lib));
    add(c, OBJECT_NAME);
    if (t->kind == PROGRAM_EMU)
        add_made(c, xasprintf("%s/libcudart_emu.a", lib));
    if (t->kind == PROGRAM_GPU) {
        add_libraries(t, c);
        add_made(c, xasprintf("%s/lib64/libcudart_static.a", t->config->cuda_root));
    }
    add_all(c, system);
}

int
tool_compile(const struct build *b, struct buf *output, enum tool_end *end,
             struct report *r)
{
    struct command c = {0};
    int rc;

    if (b->target->kind == PROGRAM_C)
        gcc_command(&c);
    else
        nvcc_command(b->target, &c);
    rc = build_run(b, c.argv, output, end, r);
    command_free(&c);
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

static void
key_command(struct buf *key, const struct command *c)
{
    for (int i = 0; i < c->argc; i++)
        buf_printf(key, "%s\n", c->argv[i]);
}

/* A tool of the system's by its identity on the disk, as ccache does: its size and time
 * of modification change with its version. */
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

/* What we build changes often, and a tarball may flatten its times: by its bytes. */
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
    struct command compile = {0}, link = {0};
    int rc = key_bytes(key, t->config->lib, "guest.o", r);

    if (rc == 0)
        rc = key_bytes(key, t->config->lib, "guest.map", r);
    if (rc == 0 && t->kind == PROGRAM_EMU)
        rc = key_bytes(key, t->config->lib, "libcudart_emu.a", r);
    key_stat(key, GCC);
    key_stat(key, GXX);
    key_stat(key, GOLD);
    if (t->kind == PROGRAM_C) {
        gcc_command(&compile);
    } else {
        for (size_t i = 0; i < sizeof cuda / sizeof *cuda; i++) {
            char *path = xasprintf("%s/%s", t->config->cuda_root, cuda[i]);

            key_stat(key, path);
            free(path);
        }
        nvcc_command(t, &compile);
    }
    link_command(t, LIB_INSIDE, &link);
    buf_printf(key, "libraries %u\n", t->libraries);
    key_command(key, &compile);
    key_command(key, &link);
    command_free(&compile);
    command_free(&link);
    return rc;
}
