/* `emu`: runs a CUDA program on an emulated GPU. cli/emu.h shows the processes. */
#include "cli/emu.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define EXIT_FINDING                                                                     \
    99                  /* --checks: the program ended with 0, and something was found   \
                         */
#define EXIT_ITSELF 125 /* this and the next two are as env(1) and a shell have them */
#define EXIT_NOT_RUN 126
#define EXIT_MISSING 127

#define THREADS_MAX 1024
#define MEMORY_MAX ((uint64_t)1 << 40)

/* Reads a number of bytes such as "1073741824", "512M" or "16G". Units are powers of
 * two. */
static int
parse_memory(const char *text, uint64_t *out, struct report *r)
{
    static const char units[] = "KMGT";
    const char *unit;
    char *end;
    unsigned long long n;

    errno = 0;
    n = strtoull(text, &end, 10);
    unit = *end != '\0' ? strchr(units, *end) : NULL;
    *out = n;
    if (unit != NULL) {
        unsigned shift = 10 * ((unsigned)(unit - units) + 1);

        *out = n <= MEMORY_MAX >> shift ? (uint64_t)n << shift : MEMORY_MAX + 1;
        end++;
    }
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *out == 0 ||
        *out > MEMORY_MAX)
        return report_fail(
            r,
            "--memory takes a number of bytes up to 1T, as in 512M or 16G, "
            "not \"%s\"",
            text);
    return 0;
}

static int
read_options(struct cli *cli, struct gpu_options *out)
{
    long threads = 0;

    *out = (struct gpu_options){.checks = cli->args.flag[FLAG_CHECKS] != NULL};
    if (cli->args.flag[FLAG_THREADS] != NULL &&
        args_number(&cli->args, FLAG_THREADS, THREADS_MAX, &threads, &cli->report) != 0)
        return -1;
    out->threads = (int)threads;
    if (cli->args.flag[FLAG_MEMORY] != NULL)
        return parse_memory(cli->args.flag[FLAG_MEMORY], &out->memory_bytes,
                            &cli->report);
    return 0;
}

/* Reports what was found, after the program's end, and returns the exit status. */
static int
emu_finish(struct cli *cli, const struct emu_program *p, struct emu_gpu *g, int status)
{
    bool checks = cli->args.flag[FLAG_CHECKS] != NULL;
    bool counters = cli->args.flag[FLAG_COUNTERS] != NULL;
    struct emu_findings found;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BY_SIGNAL;

    if (emu_findings_take(g, (checks || counters) && WIFEXITED(status), &found,
                          &cli->report) != 0) {
        emu_findings_free(&found);
        return EXIT_ITSELF;
    }
    if (cli->args.flag[FLAG_JSON] != NULL)
        emu_findings_json(&cli->err, &found, p, g->client_count, status);
    else
        emu_findings_print(&cli->err, &found, g->client_count, counters);
    if (checks && code == 0 && found.count > 0)
        code = EXIT_FINDING;
    emu_findings_free(&found);
    return code;
}

static int
emu_run_program(struct cli *cli, const struct emu_program *p,
                const struct gpu_options *options)
{
    bool insecure = cli->args.flag[FLAG_INSECURE] != NULL;
    struct emu_gpu g;
    int status = 0, code = EXIT_ITSELF;

    if (emu_gpu_start(&g, &cli->config, options, insecure, &cli->report) == 0)
        code = emu_child_run(p, cli->args.positional + 1, &cli->config, &g, &status,
                             &cli->report);
    if (code == 0)
        code = emu_finish(cli, p, &g, status);
    emu_gpu_stop(&g);
    if (WIFSIGNALED(status) && !report_is_set(&cli->report)) {
        fflush(NULL);
        emu_child_die_like(WTERMSIG(status));
        code = EXIT_BY_SIGNAL + WTERMSIG(status); /* where the signal did not end us */
    }
    return code;
}

static int
emu_verb(struct cli *cli)
{
    struct gpu_options options;
    struct emu_program program = {0};
    bool missing = false;
    int code;

    if (cli_configure(cli) != 0 || read_options(cli, &options) != 0)
        return EXIT_BAD_INPUT;
    code =
        emu_program_open(cli->args.positional[1], &program, &missing, &cli->report) != 0
            ? missing ? EXIT_MISSING : EXIT_ITSELF
            : 0;
    if (code == 0 && program.needs[0] != '\0')
        terminal_print(
            &cli->err, STYLE_PLAIN,
            "warpjudge emu: %s uses %s, which needs a real GPU: its calls will "
            "fail\n",
            program.path, program.needs);
    if (code == 0)
        code = emu_run_program(cli, &program, &options);
    emu_program_close(&program);
    return code;
}

static const struct verb_flag flags[] = {
    {FLAG_CHECKS, "look for races and reads of memory never written, too"},
    {FLAG_COUNTERS, "say at the end what the device counted, and the modelled time"},
    {FLAG_JSON, "say it as one JSON object, the last line on standard error"},
    {FLAG_THREADS, "threads of the emulated GPU; else one for each CPU"},
    {FLAG_MEMORY, "device memory, as in 512M or 40G; else 16G, taken as it is used"},
    {FLAG_INSECURE, "run the emulated GPU without its sandbox"},
    {0, NULL},
};

const struct verb verb_emu = {
    .name = "emu",
    .arguments = "PROGRAM [ARGUMENT...]",
    .summary = "run a CUDA program of yours on an emulated GPU",
    .about =
        "Runs a program that nvcc 13 built with --cudart=shared, unmodified, on a "
        "machine\n"
        "without a GPU: our libcudart.so.13 answers it, and an emulated GPU executes "
        "the\n"
        "PTX that it carries (nvcc puts some into every program, unless told not to; "
        "with\n"
        "-lineinfo findings have source lines). Flags come before PROGRAM; what follows\n"
        "it is the program's. It has your standard streams and your terminal, and may\n"
        "start other programs, which use the same GPU.\n"
        "\n"
        "A kernel that ends in a fault (an address outside every allocation, a trap, a\n"
        "divergent barrier) fails as on a GPU; at the end standard error says which\n"
        "kernel, block, thread and source line it was. With --checks what a GPU does "
        "not\n"
        "notice is found as well, and turns exit status 0 into 99.",
    .example = "  nvcc -lineinfo --cudart=shared saxpy.cu -o saxpy\n"
               "  warpjudge emu ./saxpy\n"
               "  warpjudge emu --checks --counters ./saxpy --size 1000\n",
    .flags = flags,
    .kind = VERB_RUNS_PROGRAM,
    .least = 1,
    .most = 1 << 30,
    .missing = "name the program, as in `warpjudge emu ./saxpy`",
    .run = emu_verb,
};
