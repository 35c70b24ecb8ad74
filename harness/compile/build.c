/*
 * Makes a build folder and runs tools in it. The sandbox has the system, the CUDA
 * Toolkit, this folder, lib/ and the links to headers (headers.h), and nothing else. So
 * an #include or .incbin finds neither files of ours nor those of another submission.
 */
#include "compile/build.h"
#include "compile/headers.h"
#include "compile/wrapper.h"

#include "base/file.h"
#include "sandbox/sandbox.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define OUTPUT_KEEP ((size_t)64 << 10)
#define OUTPUT_LIMIT ((size_t)4 << 20)
#define TMP_BYTES ((uint64_t)1 << 30)

/* With less on the disk a tool that could not write says nothing of its source. It may
 * say so, or it may fail in words that nobody foresees. */
#define DISK_FULL_SAID_BYTES ((uint64_t)COMPILE_FILE_MIB << 20)
#define DISK_FULL_BYTES ((uint64_t)1 << 20)
#define DISK_FULL_FILES 16

int
build_write(const struct build *b, const char *name, const char *text, size_t len,
            struct report *r)
{
    char *path = xasprintf("%s/%s", b->folder, name);
    int rc = file_write(path, text, len, r);

    free(path);
    return rc;
}

int
build_read(const struct build *b, const char *name, struct buf *out, struct report *r)
{
    char *path = xasprintf("%s/%s", b->folder, name);
    int rc = file_read(path, (size_t)COMPILE_FILE_MIB << 20, out, r);

    free(path);
    return rc;
}

void
build_open_again(const struct target *t, const char *folder, struct build *b)
{
    *b = (struct build){.target = t,
                        .folder = xstrdup(folder),
                        .lib = t->insecure ? t->config->lib : LIB_INSIDE};
}

/* Lets the tools, which have ids of their own (sandbox/ids.h), make files in the folder.
 * Nobody else gets there, because the job's folder is open to its owner only. */
static int
build_open_to_tools(const struct build *b, struct report *r)
{
    if (b->target->insecure || !ids_active() || chmod(b->folder, 0777) == 0)
        return 0;
    return report_errno(r, "%s cannot be opened to compilers", b->folder);
}

/* Makes INCLUDE_NAME: a link to a folder of links that many compiles share. A folder of
 * the build's own takes longer, and fills the file system's journal, for which commits of
 * the database then wait. */
static int
build_add_headers(struct build *b, const char *cache, struct report *r)
{
    char *link = xasprintf("%s/" INCLUDE_NAME, b->folder);
    int rc;

    b->headers = headers_shared(b->target, cache);
    if (b->headers == NULL)
        rc = headers_link(b->target, link, r);
    else
        rc = symlink(b->target->insecure ? b->headers : HEADERS_INSIDE, link);
    if (rc != 0 && !report_is_set(r))
        report_errno(r, "the link %s cannot be made", link);
    free(link);
    return rc;
}

int
build_open(const struct target *t, const char *cache, const char *folder, struct build *b,
           struct report *r)
{
    char *wrapper = target_wrapper(t), *header = compile_solve_header(t->function);
    int rc = -1;

    build_open_again(t, folder, b);
    if (file_remove_tree(folder, r) == 0 && file_mkdirs(folder, r) == 0 &&
        build_write(b, t->kind == PROGRAM_C ? C_WRAPPER_NAME : WRAPPER_NAME, wrapper,
                    strlen(wrapper), r) == 0 &&
        build_write(b, "solve.h", header, strlen(header), r) == 0 &&
        build_write(b, t->file_name, buf_str(t->source), t->source->len, r) == 0 &&
        (t->kind == PROGRAM_C || build_add_headers(b, cache, r) == 0) &&
        build_open_to_tools(b, r) == 0)
        rc = 0;
    free(wrapper);
    free(header);
    if (rc != 0)
        build_close(b);
    return rc;
}

void
build_free(struct build *b)
{
    free(b->folder);
    free(b->headers);
    b->folder = b->headers = NULL;
}

void
build_close(struct build *b)
{
    /* If it cannot be removed, it goes later with the job's folder. */
    file_remove_tree(b->folder, NULL);
    build_free(b);
}

static bool
output_says(const struct buf *output, const char *const *phrases)
{
    for (; *phrases != NULL; phrases++)
        if (strcasestr(buf_str(output), *phrases) != NULL)
            return true;
    return false;
}

/* Tells from a tool's output why it failed. A compiler is a driver whose processes may
 * die under a limit; the driver then reports that in words. */
static enum tool_end
tool_failure(const struct buf *output)
{
    static const char *const memory[] = {"memory exhausted",
                                         "bad_alloc",
                                         "out of memory",
                                         "cannot allocate memory",
                                         "memory allocation failure",
                                         "ran out of memory",
                                         NULL};
    static const char *const time[] = {"CPU time limit", "signal 24", NULL};
    static const char *const size[] = {"File size limit", "signal 25", "File too large",
                                       "No space left", NULL};
    static const char *const crash[] = {"died due to signal", "internal compiler error",
                                        "died with status", "Killed signal", NULL};

    if (output_says(output, memory))
        return TOOL_MEMORY;
    if (output_says(output, time))
        return TOOL_TIME;
    if (output_says(output, size))
        return TOOL_OUTPUT;
    return output_says(output, crash) ? TOOL_CRASH : TOOL_ERRORS;
}

_Static_assert((uint64_t)COMPILE_MEMORY_GIB << 30 <= SANDBOX_ADDRESS_SPACE_MAX &&
                   (uint64_t)COMPILE_FILE_MIB << 20 <= SANDBOX_FILE_BYTES_MAX,
               "the daemon tries these at its start");

static bool
build_says_full(const struct buf *output)
{
    static const char *const full[] = {"No space left", "Disk quota exceeded", NULL};

    return output_says(output, full);
}

/* Is the disk of the build folder full? The folder is still as the tool has left it, but
 * a tool often removes what it could not write to the end. */
static bool
build_disk_is_full(const struct build *b, const struct buf *output)
{
    struct statvfs disk;
    uint64_t free_bytes;

    if (statvfs(b->folder, &disk) != 0)
        return false;
    free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (disk.f_files != 0 && disk.f_favail < DISK_FULL_FILES)
        return true;
    return free_bytes <
           (build_says_full(output) ? DISK_FULL_SAID_BYTES : DISK_FULL_BYTES);
}

static enum tool_end
tool_end_of(enum sandbox_end end, int code, const struct buf *output)
{
    enum tool_end said;

    switch (end) {
    case SANDBOX_EXITED:
        return code == 0 ? TOOL_OK : tool_failure(output);
    case SANDBOX_TIMED_OUT:
        return TOOL_TIME;
    case SANDBOX_OUTPUT_LIMIT:
        return TOOL_OUTPUT;
    default:
        if (code == SIGXCPU)
            return TOOL_TIME;
        if (code == SIGXFSZ)
            return TOOL_OUTPUT;
        said = tool_failure(output);
        return said != TOOL_ERRORS ? said : TOOL_CRASH;
    }
}

/* How much a tool may print, how much of it is kept, and what else differs. */
struct run_limits {
    size_t keep, limit;
    bool sanitized; /* build_run_sanitized() */
};

#define BINDS_MAX 4

/* What a tool sees beside the system. Returns how many these are. */
static int
build_binds(const struct build *b, struct sandbox_bind bind[BINDS_MAX])
{
    const struct config *c = b->target->config;
    int count = 0;

    bind[count++] = (struct sandbox_bind){b->folder, BUILD_INSIDE, true};
    bind[count++] = (struct sandbox_bind){c->lib, LIB_INSIDE, false};
    if (c->cuda_root != NULL && strncmp(c->cuda_root, "/usr/", 5) != 0 &&
        strcmp(c->cuda_root, "/usr") != 0)
        bind[count++] = (struct sandbox_bind){c->cuda_root, c->cuda_root, false};
    if (b->headers != NULL)
        bind[count++] = (struct sandbox_bind){b->headers, HEADERS_INSIDE, false};
    return count;
}

static int
build_run_limited(const struct build *b, const char *const *argv,
                  const struct run_limits *limits, struct buf *output, enum tool_end *end,
                  struct report *r)
{
    const struct config *c = b->target->config;
    char *path =
        xasprintf("PATH=%s%s/usr/bin:/bin", c->cuda_root != NULL ? c->cuda_root : "",
                  c->cuda_root != NULL ? "/bin:" : "");
    /* These variables say what nvcc's profile would say. */
    char *cicc = xasprintf("CICC_PATH=%s/nvvm/bin", c->cuda_root);
    char *device = xasprintf("NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice", c->cuda_root);
    const char *const env[] = {path, "LC_ALL=C.UTF-8", "HOME=/tmp", "TMPDIR=/tmp",
                               cicc, device,           NULL};
    struct sandbox_bind bind[BINDS_MAX];
    const struct sandbox s = {
        .program = argv[0],
        .argv = argv,
        .env = env,
        .bind = bind,
        .bind_count = build_binds(b, bind),
        .chdir = b->target->insecure ? b->folder : BUILD_INSIDE,
        .bare = !limits->sanitized,
        .shared_ids = true,
        .insecure = b->target->insecure,
        .cpu_seconds = COMPILE_SECONDS_MAX + COMPILE_SECONDS_MAX / 2,
        .address_space_bytes = limits->sanitized ? 0 : (uint64_t)COMPILE_MEMORY_GIB << 30,
        .file_bytes = (uint64_t)COMPILE_FILE_MIB << 20,
        .processes = 128,
        .memory_bytes = (uint64_t)COMPILE_MEMORY_GIB << 30,
        .open_files = 256,
        .tmp_bytes = TMP_BYTES,
    };
    struct sandbox_process process;
    enum sandbox_end how;
    int code = 0, rc = sandbox_start(&s, &process, r);

    free(path);
    free(cicc);
    free(device);
    if (rc != 0)
        return -1;
    how = sandbox_wait_used(&process, COMPILE_SECONDS_MAX * 1000,
                            COMPILE_WALL_SECONDS_MAX * 1000, output, limits->keep,
                            limits->limit, &code);
    if (how == SANDBOX_STARVED)
        return report_fail(r,
                           "this machine's CPUs are so busy that %s got next to none "
                           "of their time",
                           argv[0]);
    if (how == SANDBOX_FAILED)
        return report_fail(r, "%s could not be run in its sandbox: %.500s", argv[0],
                           buf_str(output));
    *end = process.out_of_memory ? TOOL_MEMORY : tool_end_of(how, code, output);
    if (*end != TOOL_OK && build_disk_is_full(b, output))
        return report_fail(r, "%s failed beside a full disk: make room where %s is",
                           argv[0], b->folder);
    return 0;
}

int
build_run(const struct build *b, const char *const *argv, struct buf *output,
          enum tool_end *end, struct report *r)
{
    static const struct run_limits limits = {OUTPUT_KEEP, OUTPUT_LIMIT, false};

    return build_run_limited(b, argv, &limits, output, end, r);
}

int
build_run_verbose(const struct build *b, const char *const *argv, struct buf *output,
                  enum tool_end *end, struct report *r)
{
    static const struct run_limits limits = {(size_t)COMPILE_FILE_MIB << 20,
                                             (size_t)COMPILE_FILE_MIB << 20, false};

    return build_run_limited(b, argv, &limits, output, end, r);
}

int
build_run_sanitized(const struct build *b, const char *const *argv, struct buf *output,
                    enum tool_end *end, struct report *r)
{
    static const struct run_limits limits = {OUTPUT_KEEP, OUTPUT_LIMIT, true};

    return build_run_limited(b, argv, &limits, output, end, r);
}
