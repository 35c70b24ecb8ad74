/* `doctor`: looks at everything that judging needs of this machine, without a daemon. */
#include "cli/doctor.h"

#include "base/buf.h"

#include <cjson/cJSON.h>
#include <stdarg.h>

static const struct {
    const char *name;
    void (*look)(struct cli *cli, struct finding *f);
} checks[] = {
    {"nvcc", doctor_nvcc},
    {"ptxas", doctor_assemblers},
    {"CUDA libraries", doctor_libraries},
    {"host compiler", doctor_host_compiler},
    {"installation", doctor_parts},
    {"devices", doctor_devices},
    {"GPU clocks", doctor_gpu_clocks},
    {"uids", doctor_uids}, /* before what starts a sandbox */
    {"sandbox", doctor_namespaces},
    {"control groups", doctor_groups},
    {"home", doctor_home},
    {"disk", doctor_disk},
    {"memory", doctor_memory},
    {"port", doctor_port},
    {"open files", doctor_open_files},
    {"clock source", doctor_clock_source},
};

static const struct {
    const char *name;
    enum style style;
} levels[] = {
    [DOCTOR_OK] = {"ok", STYLE_GOOD},
    [DOCTOR_WARNING] = {"warning", STYLE_WARN},
    [DOCTOR_PROBLEM] = {"problem", STYLE_BAD},
};

void
finding_set(struct finding *f, enum doctor_level level, const char *format, ...)
{
    va_list ap;

    f->level = level;
    va_start(ap, format);
    vsnprintf(f->text, sizeof f->text, format, ap);
    va_end(ap);
}

static void
doctor_print(struct cli *cli, const char *name, const struct finding *f)
{
    struct terminal page;

    terminal_page_begin(&page, &cli->out);
    terminal_print(&page, levels[f->level].style, "%-8s", levels[f->level].name);
    terminal_print(&page, STYLE_PLAIN, " %-14s  %s\n", name, f->text);
    terminal_page_end(&page, &cli->out);
}

static int
doctor_verb(struct cli *cli)
{
    cJSON *list = cli->args.flag[FLAG_JSON] != NULL ? cJSON_CreateArray() : NULL;
    int problems = 0, warnings = 0, status = cli_configure(cli);

    for (size_t i = 0; status == 0 && i < sizeof checks / sizeof *checks; i++) {
        struct finding f = {0};
        cJSON *o;

        checks[i].look(cli, &f);
        problems += f.level == DOCTOR_PROBLEM;
        warnings += f.level == DOCTOR_WARNING;
        if (list == NULL) {
            doctor_print(cli, checks[i].name, &f);
            continue;
        }
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "check", checks[i].name);
        cJSON_AddStringToObject(o, "level", levels[f.level].name);
        cJSON_AddStringToObject(o, "text", f.text);
        cJSON_AddItemToArray(list, o);
    }
    if (status == 0 && list != NULL) {
        cJSON *o = cJSON_CreateObject();

        cJSON_AddItemToObject(o, "findings", list);
        list = NULL;
        cli_print_json(cli, o);
        cJSON_Delete(o);
    } else if (status == 0 && problems + warnings == 0) {
        terminal_print(&cli->out, STYLE_PLAIN, "all is well\n");
    }
    cJSON_Delete(list);
    return status != 0 ? status : problems > 0 ? EXIT_BAD_INPUT : 0;
}

static const struct verb_flag flags[] = {
    {FLAG_LISTEN, "also try whether `serve --listen` may have this address"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "see whether this machine has what judging needs",
    .about =
        "Looks at the compilers, GPUs, sandboxes, limits, disk and clocks of this "
        "machine, and\n"
        "says of each whether it is ok, and otherwise what to do. It changes nothing and "
        "needs\n"
        "no daemon. A warning lets the judge work; with a problem it does not. Run it as "
        "the\n"
        "user and with the environment of the daemon.",
    .example = "  warpjudge doctor\n"
               "  warpjudge doctor --listen 0.0.0.0:8080\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .run = doctor_verb,
};
