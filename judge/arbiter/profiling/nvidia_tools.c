#include "arbiter/profiling/nvidia_tools.h"

#include "base/file.h"
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRINTED_MAX ((size_t)64 << 20)
#define TMP_BYTES ((uint64_t)1 << 30)
#define REPORT_BYTES ((uint64_t)128 << 20)
#define ENV_MAX 6
#define BINDS_MAX 6
#define ARGUMENTS_MAX 128

/* --- where they are -------------------------------------------------------- */

/* The last file, in alphabetical order, that the pattern names. NULL: none. */
static char *
find_last(const char *pattern)
{
    glob_t found = {0};
    char *path = NULL;

    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0)
        path = realpath(found.gl_pathv[found.gl_pathc - 1], NULL);
    globfree(&found);
    if (path != NULL && access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* The folder so many levels above the file. */
static char *
folder_above(const char *file, int levels)
{
    char *folder = xstrdup(file);

    while (levels-- > 0)
        *strrchr(folder, '/') = '\0'; /* realpath() has a '/' for each level */
    return folder;
}

bool
nvidia_tools_find_ncu(const char *cuda_root, struct nvidia_tool *out)
{
    static const char program[] = "target/linux-desktop-glibc_*/ncu";
    char *pattern = xasprintf("%s/nsight-compute-*/%s", cuda_root, program);
    char *path = find_last(pattern);

    free(pattern);
    if (path == NULL) {
        pattern = xasprintf("/opt/nvidia/nsight-compute/*/%s", program);
        path = find_last(pattern);
        free(pattern);
    }
    if (path == NULL)
        return false;
    *out = (struct nvidia_tool){.program = path, .folder = folder_above(path, 3)};
    return true;
}

bool
nvidia_tools_find_sanitizer(const char *cuda_root, struct nvidia_tool *out)
{
    char *pattern = xasprintf("%s/compute-sanitizer/compute-sanitizer", cuda_root);
    char *path = find_last(pattern);

    free(pattern);
    if (path == NULL)
        return false;
    *out = (struct nvidia_tool){.program = path, .folder = folder_above(path, 1)};
    return true;
}

void
nvidia_tool_free(struct nvidia_tool *t)
{
    free(t->program);
    free(t->folder);
    *t = (struct nvidia_tool){0};
}

/* --- running --------------------------------------------------------------- */

#define SHELL "/bin/sh"
#define REPORT_FD 4

/* Runs the tool "$0" with its arguments, and then writes its report to REPORT_FD. The
 * report lies in the sandbox's own /tmp, because the submission could fill the disk
 * through a folder of the host. It does not get REPORT_FD, but through /proc it could
 * write there, too: a forged report, of REPORT_BYTES at most. */
#define WITH_REPORT                                                                      \
    "\"$0\" \"$@\" 4>&-; s=$?; [ -f " TOOLS_MADE " ] && cat " TOOLS_MADE " >&4; exit $s"

/* What the tool sees beside the system. Returns how many these are. */
static int
list_binds(const struct judgement *j, const struct tool_run *run,
           struct sandbox_bind bind[BINDS_MAX])
{
    int count = 0;

    if (strncmp(run->tool->folder, "/usr/", 5) != 0)
        bind[count++] =
            (struct sandbox_bind){run->tool->folder, run->tool->folder, false};
    if (run->call == NULL && run->report != NULL)
        bind[count++] = (struct sandbox_bind){run->report, TOOLS_REPORT, false};
    if (run->call == NULL)
        return count;
    bind[count++] = (struct sandbox_bind){j->runner_program, TOOLS_RUNNER, false};
    bind[count++] = (struct sandbox_bind){run->call, TOOLS_CALL, false};
    if (j->hidden != NULL)
        bind[count++] = (struct sandbox_bind){j->empty, j->hidden, false};
    return count;
}

static int
start(struct judgement *j, const struct tool_run *run, const char *const *argv,
      int report_fd, struct sandbox_process *process, struct report *r)
{
    const char *env[ENV_MAX] = {"HOME=/tmp", "TMPDIR=/tmp", "PATH=/usr/bin:/bin",
                                "LC_ALL=C.UTF-8"};
    const struct sandbox_fd fd = {.from = report_fd, .to = REPORT_FD};
    struct sandbox_bind bind[BINDS_MAX];
    struct device_runner device = {.gpu_socket = -1};
    struct sandbox s = {
        .program = SHELL,
        .argv = argv,
        .env = env,
        .bind = bind,
        .bind_count = list_binds(j, run, bind),
        .fd = &fd,
        .fd_count = report_fd >= 0,
        .chdir = "/tmp",
        .debugs = true,
        .cpu_seconds = SANDBOX_CPU_SECONDS_MAX,
        .file_bytes = REPORT_BYTES,
        .processes = SANDBOX_PROCESSES_MAX,
        .memory_bytes = (uint64_t)RUNNER_MEMORY_GIB << 30,
        .open_files = SANDBOX_OPEN_FILES_MAX,
        .tmp_bytes = TMP_BYTES,
    };

    if (j->job.insecure)
        return report_fail(r, "without a sandbox no tool of NVIDIA's is run");
    if (run->call != NULL) {
        if (device_runner(j->device, &device, r) != 0)
            return -1;
        s.gpu = device.gpu;
        env[4] = device.env[0];
    }
    return sandbox_start(&s, process, r);
}

/* Starts the tool through the shell. The report, if there will be one, is made anew. */
static int
start_tool(struct judgement *j, const struct tool_run *run,
           struct sandbox_process *process, struct report *r)
{
    const bool reports = run->call != NULL && run->report != NULL;
    const char *argv[ARGUMENTS_MAX] = {
        "sh", "-c", reports ? WITH_REPORT : "exec \"$0\" \"$@\"", run->tool->program};
    int n = 4, fd = -1, rc;

    for (const char *const *arg = run->argv + 1; *arg != NULL && n < ARGUMENTS_MAX - 1;)
        argv[n++] = *arg++;
    if (reports) {
        fd = open(run->report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd < 0)
            return report_errno(r, "%s cannot be made", run->report);
    }
    rc = start(j, run, argv, fd, process, r);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Says why a tool that did not end by itself was ended. */
static int
explain_end(enum sandbox_end end, int code, const struct sandbox_process *process,
            uint64_t limit_ms, struct report *why)
{
    if (process->out_of_memory)
        report_fail(why, "it needed more than %d GiB of the host's memory",
                    RUNNER_MEMORY_GIB);
    else if (end == SANDBOX_TIMED_OUT)
        report_fail(why, "it took longer than %ju s", (uintmax_t)(limit_ms / 1000));
    else if (end == SANDBOX_OUTPUT_LIMIT)
        report_fail(why, "it printed more than %zu MiB", PRINTED_MAX >> 20);
    else
        report_fail(why, "signal %d ended it", code);
    return 1;
}

int
nvidia_tool_run(struct judgement *j, const struct tool_run *run, struct buf *output,
                int *code, struct report *why, struct report *r)
{
    struct sandbox_process process;
    enum sandbox_end end;

    if (start_tool(j, run, &process, r) != 0)
        return -1;
    end =
        sandbox_wait(&process, run->limit_ms, output, run->keep_bytes, PRINTED_MAX, code);
    j->survivors = j->survivors || process.survived;
    if (end == SANDBOX_FAILED || end == SANDBOX_STARVED)
        return report_fail(r, "%s could not be run in its sandbox: %.500s",
                           run->tool->program, buf_str(output));
    if (end == SANDBOX_EXITED && !process.out_of_memory)
        return 0;
    return explain_end(end, *code, &process, run->limit_ms, why);
}
