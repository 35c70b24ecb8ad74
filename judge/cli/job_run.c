#include "cli/job_run.h"

#include "base/file.h"
#include "base/json.h"
#include "cli/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* These are for a watchdog like the daemon's (daemon/attempt.c). */
#define COMPILE_LIMIT_MS 7200000
#define ARBITER_LIMIT_MS 14400000
#define DEVICES_LIMIT_MS 60000

char *
job_run_open(const char *scratch, const struct job *job, struct report *r)
{
    char *folder = xasprintf("%s/XXXXXX", scratch);

    if (mkdtemp(folder) == NULL)
        report_errno(r, "no folder %s can be made", folder);
    else if (job_write(folder, job, r) == 0)
        return folder;
    free(folder);
    return NULL;
}

void
job_run_close(char *folder)
{
    /* What cannot be removed here is removed with the scratch folder. */
    if (folder != NULL)
        file_remove_tree(folder, NULL);
    free(folder);
}

int
job_run_program(const struct config *c, const char *name, const char *flag,
                const char *folder, const char *input, struct report *r)
{
    const bool compiles = strcmp(name, "warpjudge-compile") == 0;
    char *program = config_libexec(c, name), *said = NULL;
    const char *argv[] = {program, flag != NULL ? flag : folder,
                          flag != NULL ? folder : NULL, NULL};
    const int status =
        check_run(argv, input, compiles ? COMPILE_LIMIT_MS : ARBITER_LIMIT_MS,
                  STDERR_FILENO, &said);

    if (status != 0)
        report_fail(r, "%s",
                    said[0] != '\0' ? said : "a program of the judge's failed silently");
    free(said);
    free(program);
    return status == 0 ? 0 : -1;
}

int
job_run_judge(const struct config *c, const char *folder, const struct buf *source,
              bool compile_only, struct compile_result *compiled, struct result *result,
              struct report *r)
{
    char *path = xasprintf("%s/submission.cu", folder);
    int rc = file_write(path, source->data, source->len, r);

    if (rc == 0)
        rc = job_run_program(c, "warpjudge-compile", NULL, folder, "", r);
    if (rc == 0)
        rc = compile_result_read(folder, compiled, r);
    if (rc == 0 && compiled->ok && !compile_only) {
        rc = job_run_program(c, "warpjudge-arbiter", NULL, folder,
                             "reference\ngo\nassembled\n", r);
        if (rc == 0)
            rc = result_read(folder, result, r);
    }
    free(path);
    return rc;
}

/* The architecture in a line of --devices, if the line is about this device. */
static char *
arch_of_line(const char *line, size_t len, const char *device, struct report *r)
{
    cJSON *o = json_parse(line, len, "--devices", r);
    char *name = NULL, *arch = NULL;

    if (o != NULL && json_get_string(o, "name", &name, r) == 0 &&
        strcmp(name, device) == 0)
        json_get_string(o, "arch", &arch, r);
    free(name);
    cJSON_Delete(o);
    return arch;
}

char *
job_run_arch(const struct config *c, const char *device, struct report *r)
{
    char *program = config_libexec(c, "warpjudge-arbiter"), *said = NULL;
    const char *const argv[] = {program, "--devices", NULL};
    const int status = check_run(argv, "", DEVICES_LIMIT_MS, STDOUT_FILENO, &said);
    char *arch = NULL;

    for (const char *line = said; status == 0 && arch == NULL && *line != '\0';) {
        const size_t len = strcspn(line, "\n");

        arch = arch_of_line(line, len, device, r);
        line += len + (line[len] == '\n');
    }
    if (arch == NULL)
        report_fail(r, "%s does not know the device %s%s%s", program, device,
                    status < 0 ? ": " : "", status < 0 ? said : "");
    free(said);
    free(program);
    return arch;
}
