/* What `doctor` says of compilers, libraries and our own programs. */
#include "cli/doctor.h"

#include "base/buf.h"
#include "base/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUDA_MAJOR 13
#define NO_TOOLKIT "not looked for, because there is no toolkit"

/* The text behind `mark` in what a program prints, up to the end of its line or a comma.
 * The caller frees. NULL where the program fails, or prints no such mark. */
static char *
printed_behind(const char *const *argv, const char *mark)
{
    struct buf out = {0};
    char *found = NULL;

    if (program_output(argv, &out) == 0) {
        const char *at = strstr(buf_str(&out), mark);

        if (at != NULL) {
            at += strlen(mark);
            found = xasprintf("%.*s", (int)strcspn(at, ",\n"), at);
        }
    }
    buf_free(&out);
    return found;
}

void
doctor_nvcc(struct cli *cli, struct finding *f)
{
    struct config *c = &cli->config;
    const char *argv[] = {NULL, "--version", NULL};
    char *release;

    config_find_toolkit(c);
    if (c->nvcc == NULL) {
        finding_set(f, DOCTOR_PROBLEM,
                    "there is none on PATH, under /usr/local/cuda or at WARPJUDGE_NVCC: "
                    "install the CUDA Toolkit %d, or put its bin folder on PATH",
                    CUDA_MAJOR);
        return;
    }
    argv[0] = c->nvcc;
    release = printed_behind(argv, "release ");
    if (c->cuda_root == NULL)
        finding_set(f, DOCTOR_PROBLEM,
                    "%s does not say where its toolkit is: put the toolkit's own bin "
                    "folder on PATH",
                    c->nvcc);
    else if (release == NULL)
        finding_set(f, DOCTOR_PROBLEM, "%s does not run: install the toolkit anew",
                    c->nvcc);
    else if (strtol(release, NULL, 10) < CUDA_MAJOR)
        finding_set(f, DOCTOR_PROBLEM, "%s is of release %s: install the CUDA Toolkit %d",
                    c->nvcc, release, CUDA_MAJOR);
    else
        finding_set(f, DOCTOR_OK, "%s, release %s", c->nvcc, release);
    free(release);
}

/* Lists the names that are not below a folder. The caller frees; "" if all are there. */
static char *
missing_below(const char *folder, const char *const *names, int mode)
{
    struct buf b = {0};

    for (; *names != NULL; names++) {
        char *path = xasprintf("%s/%s", folder, *names);

        if (access(path, mode) != 0)
            buf_printf(&b, "%s%s", b.len > 0 ? ", " : "", *names);
        free(path);
    }
    return buf_take(&b);
}

/* Has the toolkit all of these files? If not, the finding says so, and what to install.
 */
static bool
toolkit_has(const struct cli *cli, struct finding *f, const char *const *names, int mode,
            const char *install)
{
    const char *root = cli->config.cuda_root;
    char *missing = root != NULL ? missing_below(root, names, mode) : NULL;
    bool whole = missing != NULL && missing[0] == '\0';

    if (missing == NULL)
        finding_set(f, DOCTOR_WARNING, NO_TOOLKIT);
    else if (!whole)
        finding_set(f, DOCTOR_PROBLEM, "%s has no %s: install the toolkit's %s", root,
                    missing, install);
    free(missing);
    return whole;
}

void
doctor_assemblers(struct cli *cli, struct finding *f)
{
    static const char *const names[] = {"bin/ptxas", "bin/fatbinary", "bin/cudafe++",
                                        NULL};

    if (toolkit_has(cli, f, names, X_OK, "compiler (cuda-nvcc) anew"))
        finding_set(f, DOCTOR_OK, "%s/bin/ptxas", cli->config.cuda_root);
}

void
doctor_libraries(struct cli *cli, struct finding *f)
{
    static const char *const names[] = {"include/cuda_runtime.h",
                                        "lib64/libcudart_static.a", NULL};

    if (toolkit_has(cli, f, names, R_OK, "runtime (cuda-cudart-dev)"))
        finding_set(f, DOCTOR_OK, "the CUDA runtime is in %s/lib64",
                    cli->config.cuda_root);
}

void
doctor_host_compiler(struct cli *cli, struct finding *f)
{
    static const char *const names[] = {"g++", "ld", "as"};
    const char *argv[] = {"g++", "-dumpfullversion", NULL};
    struct buf version = {0};

    (void)cli;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *asks[] = {names[i], "--version", NULL};
        struct buf ignored = {0};
        const int status = program_output(asks, &ignored);

        buf_free(&ignored);
        if (status == 0)
            continue;
        finding_set(f, DOCTOR_PROBLEM,
                    "%s cannot be run: install the packages g++ and binutils", names[i]);
        return;
    }
    if (program_output(argv, &version) == 0)
        finding_set(f, DOCTOR_OK, "g++ %.*s", (int)strcspn(buf_str(&version), "\n"),
                    buf_str(&version));
    else
        finding_set(f, DOCTOR_WARNING, "g++ does not say its version");
    buf_free(&version);
}

void
doctor_parts(struct cli *cli, struct finding *f)
{
    static const char *const programs[] = {"warpjudged",        "warpjudge-compile",
                                           "warpjudge-arbiter", "warpjudge-gpu",
                                           "warpjudge-runner",  NULL};
    static const char *const files[] = {"guest.o", "guest.map", "null.so",
                                        "libcudart_emu.a", NULL};
    const struct config *c = &cli->config;
    char *programs_missing = missing_below(c->libexec, programs, X_OK);
    char *files_missing = missing_below(c->lib, files, R_OK);

    if (programs_missing[0] != '\0')
        finding_set(f, DOCTOR_PROBLEM, "%s has no %s: install warpjudge anew", c->libexec,
                    programs_missing);
    else if (files_missing[0] != '\0')
        finding_set(f, DOCTOR_PROBLEM, "%s has no %s: install warpjudge anew", c->lib,
                    files_missing);
    else if (access(c->problems, R_OK | X_OK) != 0)
        finding_set(f, DOCTOR_PROBLEM,
                    "the problems in %s cannot be read: set WARPJUDGE_PROBLEMS to their "
                    "folder",
                    c->problems);
    else
        finding_set(f, DOCTOR_OK, "warpjudge %s in %s, problems in %s", WARPJUDGE_VERSION,
                    c->prefix, c->problems);
    free(programs_missing);
    free(files_missing);
}
