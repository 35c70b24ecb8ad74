/* What `doctor` says of GPUs and of what confines submissions. */
#include "cli/doctor.h"

#include "base/buf.h"
#include "base/program.h"
#include "sandbox/cgroup.h"
#include "sandbox/ids.h"
#include "sandbox/sandbox.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bits of nvmlClocksEventReasons (NVML API reference): something slows the GPU down. */
#define REASON_SETTING 0x2ull
#define REASONS_SLOW (0x8ull | 0x20ull | 0x40ull | 0x80ull)

static bool
is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Adds the titles of the listed GPUs, and counts them. -1 where a line is no device. */
static int
list_gpus(char *lines, struct buf *titles, int *count)
{
    char *save = NULL;

    for (char *line = strtok_r(lines, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        cJSON *o = cJSON_Parse(line);
        const char *name =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "name"));
        const char *title =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "title"));
        const bool good = name != NULL && title != NULL;

        if (good && strncmp(name, "cuda:", 5) == 0)
            buf_printf(titles, "%s%s", (*count)++ > 0 ? ", " : "", title);
        cJSON_Delete(o);
        if (!good)
            return -1;
    }
    return 0;
}

void
doctor_devices(struct cli *cli, struct finding *f)
{
    char *program = config_libexec(&cli->config, "warpjudge-arbiter"), *lines;
    const char *argv[] = {program, "--devices", NULL};
    struct buf out = {0}, titles = {0};
    int count = 0, status = program_output(argv, &out);

    lines = buf_take(&out);
    if (status != 0 || list_gpus(lines, &titles, &count) != 0)
        finding_set(f, DOCTOR_PROBLEM,
                    "the devices cannot be listed (%.200s): see whether nvidia-smi "
                    "works, or restart the machine",
                    lines);
    else if (count > 0)
        finding_set(f, DOCTOR_OK, "%s", buf_str(&titles));
    else if (is_there("/proc/driver/nvidia/version") || is_there("/dev/nvidiactl"))
        finding_set(f, DOCTOR_WARNING,
                    "there is a driver, but no GPU that it gives us, so that submissions "
                    "are judged on emu: see whether nvidia-smi lists one, and whether "
                    "this user may open /dev/nvidia*");
    else
        finding_set(f, DOCTOR_OK, "no NVIDIA GPU; submissions are judged on emu");
    buf_free(&titles);
    free(lines);
    free(program);
}

/* Says of one line of nvidia-smi what is wrong with the GPU's clocks. */
static void
clocks_look(char *line, struct finding *f)
{
    char *save = NULL, *field[5] = {0};
    unsigned long long reasons;

    for (int i = 0; i < 5; i++)
        field[i] = strtok_r(i == 0 ? line : NULL, ",", &save);
    if (field[4] == NULL) {
        finding_set(f, DOCTOR_WARNING, "nvidia-smi says nothing of clocks");
        return;
    }
    for (int i = 0; i < 5; i++)
        field[i] += strspn(field[i], " ");
    reasons = strtoull(field[4], NULL, 16);
    if ((reasons & REASONS_SLOW) != 0)
        finding_set(f, DOCTOR_WARNING,
                    "cuda:%s is slowed down by heat or power (reasons %s): times there "
                    "are longer than they should be; look at its cooling",
                    field[0], field[4]);
    else if (strcmp(field[1], "Enabled") != 0)
        finding_set(f, DOCTOR_WARNING,
                    "cuda:%s leaves the driver between judgements, which makes each "
                    "begin later: nvidia-smi -pm 1, as root",
                    field[0]);
    else if ((reasons & REASON_SETTING) == 0)
        finding_set(f, DOCTOR_WARNING,
                    "cuda:%s runs at %s of at most %s MHz and chooses its clock itself, "
                    "so that times vary more: nvidia-smi -lgc MHZ, as root, if all times "
                    "are to be of one clock (it may be locked: not every driver says so)",
                    field[0], field[2], field[3]);
}

void
doctor_gpu_clocks(struct cli *cli, struct finding *f)
{
    static const char *const argv[] = {
        "nvidia-smi",
        "--query-gpu=index,persistence_mode,clocks.sm,clocks.max.sm,"
        "clocks_throttle_reasons.active",
        "--format=csv,noheader,nounits", NULL};
    struct buf out = {0};
    char *lines, *save = NULL;
    int status = program_output(argv, &out);

    (void)cli;
    lines = buf_take(&out);
    if (status == 0)
        finding_set(f, DOCTOR_OK, "held by a setting, and nothing slows them down");
    else
        finding_set(f, is_there("/dev/nvidiactl") ? DOCTOR_WARNING : DOCTOR_OK,
                    is_there("/dev/nvidiactl")
                        ? "not known, because nvidia-smi cannot be run: install it"
                        : "none to look at");
    for (char *line = strtok_r(lines, "\n", &save);
         status == 0 && line != NULL && f->level == DOCTOR_OK;
         line = strtok_r(NULL, "\n", &save))
        clocks_look(line, f);
    free(lines);
}

void
doctor_uids(struct cli *cli, struct finding *f)
{
    struct report why = {0};
    const int rc = ids_begin(&why);
    char *text = ids_text();

    (void)cli;
    if (rc < 0)
        finding_set(f, DOCTOR_PROBLEM, "%s", why.text);
    else if (rc > 0)
        finding_set(f, DOCTOR_WARNING,
                    "sandboxes run as %s (%s): give this user a range of 65536 ids in "
                    "/etc/subuid and /etc/subgid and install the package uidmap, or set "
                    "WARPJUDGE_IDS, so that limits count for each sandbox",
                    text, why.text);
    else
        finding_set(f, DOCTOR_OK, "sandboxes run as %s", text);
    free(text);
}

void
doctor_namespaces(struct cli *cli, struct finding *f)
{
    struct report with_ids = {0}, r = {0};

    (void)cli;
    if (ids_active() && sandbox_probe(&with_ids) != 0)
        ids_stop();
    if (!ids_active() && sandbox_probe(&r) != 0)
        finding_set(f, DOCTOR_PROBLEM, "%s", r.text);
    else if (report_is_set(&with_ids))
        finding_set(f, DOCTOR_WARNING, "sandboxes work as this user only: %s",
                    with_ids.text);
    else
        finding_set(f, DOCTOR_OK, "bubblewrap and user namespaces work");
}

void
doctor_groups(struct cli *cli, struct finding *f)
{
    struct report why = {0};

    (void)cli;
    if (cgroups_begin(&why) == 0)
        finding_set(f, DOCTOR_OK, "%s", cgroups_name());
    else
        finding_set(f, DOCTOR_WARNING,
                    "none, so that memory and processes are limited for each process "
                    "alone (%s): run the daemon as root or by the systemd unit, which "
                    "has Delegate=yes",
                    why.text);
    cgroups_end();
}
