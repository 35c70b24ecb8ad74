/* `worker`: judges for a daemon on another machine, with this machine's devices. */
#include "cli/worker.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "cli/logins.h"
#include "sandbox/cgroup.h"
#include "sandbox/ids.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEVICES_LIMIT_MS 60000
#define TOKEN_BYTES_MAX 256
#define SECONDS_MAX 31536000
#define EPOCH_MAX 100000000000

struct worker_devices {
    struct worker_device device[WORKER_DEVICES_MAX];
    int count;
};

bool
worker_is_to_stop(const struct worker_setup *setup)
{
    struct pollfd p = {.fd = setup->signals, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

double
worker_seconds_left(const struct worker_setup *setup)
{
    return setup->until_s == 0 ? 1e9 : (double)setup->until_s - (double)now_ms() / 1000;
}

/* --- what was said ------------------------------------------------------ */

/* Reads the token: the file's one line. Nobody else may be able to read the file. */
static char *
worker_read_token(const char *path, struct report *r)
{
    struct buf text = {0};
    struct stat st;
    char *token = NULL;

    if (stat(path, &st) != 0)
        report_errno(r, "--token-file %s", path);
    else if ((st.st_mode & 077) != 0)
        report_fail(r, "others of this machine may read %s: chmod 600 it", path);
    else if (file_read(path, TOKEN_BYTES_MAX, &text, r) == 0) {
        token = xasprintf("%.*s", (int)strcspn(buf_str(&text), " \r\n"), buf_str(&text));
        explicit_bzero(text.data, text.len);
    }
    if (token != NULL && token[0] == '\0') {
        report_fail(r, "--token-file %s is empty", path);
        free(token);
        token = NULL;
    }
    buf_free(&text);
    return token;
}

/* Chooses how many compile. With --compile-only it is as many as --jobs says, or as there
 * are CPUs; else as many as --compilers says, or none. */
static int
worker_choose_compilers(const struct args *args, struct worker_setup *setup,
                        struct report *r)
{
    const bool only = args->flag[FLAG_COMPILE_ONLY] != NULL;
    const enum flag flag = only ? FLAG_JOBS : FLAG_COMPILERS;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    long count = 0;

    if (only)
        count = cpus < 1 ? 1 : cpus > WORKER_COMPILERS_MAX ? WORKER_COMPILERS_MAX : cpus;
    if (args->flag[flag] != NULL &&
        args_number(args, flag, WORKER_COMPILERS_MAX, &count, r) != 0)
        return -1;
    setup->compilers = (int)count;
    return 0;
}

static int
worker_read_flags(struct cli *cli, struct worker_setup *setup, char **url)
{
    const struct args *args = &cli->args;
    const bool compile_only = args->flag[FLAG_COMPILE_ONLY] != NULL;
    struct report *r = &cli->report;
    long until = 0;

    if (args->flag[FLAG_SERVER] == NULL || args->flag[FLAG_TOKEN_FILE] == NULL)
        return report_fail(r, "say whom to judge for, as in `warpjudge worker --server "
                              "https://judge.example --token-file FILE`");
    if ((args->flag[FLAG_IDLE_S] != NULL &&
         args_number(args, FLAG_IDLE_S, SECONDS_MAX, &setup->idle_s, r) != 0) ||
        (args->flag[FLAG_UNTIL] != NULL &&
         args_number(args, FLAG_UNTIL, EPOCH_MAX, &until, r) != 0))
        return -1;
    setup->until_s = until;
    setup->insecure = args->flag[FLAG_INSECURE] != NULL;
    if (compile_only && args->devices.count > 0)
        return report_fail(r, "say --device or --compile-only, not both");
    if (compile_only && args->flag[FLAG_COMPILERS] != NULL)
        return report_fail(r, "--compilers is for a worker that judges: with "
                              "--compile-only say --jobs");
    if (!compile_only && args->flag[FLAG_JOBS] != NULL)
        return report_fail(r, "--jobs is for --compile-only: a device judges one "
                              "submission at a time, and --compilers says how many are "
                              "compiled beside it");
    if (worker_choose_compilers(args, setup, r) != 0)
        return -1;
    *url = login_url(args->flag[FLAG_SERVER], NULL, r);
    if (*url == NULL)
        return -1;
    setup->url = *url;
    setup->token = worker_read_token(args->flag[FLAG_TOKEN_FILE], r);
    return setup->token != NULL ? 0 : -1;
}

/* --- what the machine has and lacks ------------------------------------- */

static void
worker_lacks(struct worker_setup *setup, const char *what)
{
    const size_t len = strlen(setup->lacks);

    snprintf(setup->lacks + len, sizeof setup->lacks - len, "%s%s", len > 0 ? "; " : "",
             what);
    for (char *c = setup->lacks; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    fprintf(stderr, "warpjudge worker: this machine lacks %s\n", what);
}

/* Finds as whom sandboxes run, and whether they do: as other users where the machine lets
 * us, or as our own. */
static int
worker_begin_sandboxes(struct worker_setup *setup, struct report *r)
{
    struct report why = {0};
    char *text;

    if (ids_begin(&why) < 0)
        return report_fail(r, "%s", why.text);
    if (ids_active() && sandbox_probe(&why) != 0)
        ids_stop();
    if (!ids_active()) {
        text = xasprintf("uids for sandboxes (%s)", why.text);
        worker_lacks(setup, text);
        free(text);
    }
    if (sandbox_probe(r) == 0)
        return 0;
    report_prefix(r, "no stranger's work is judged here without a sandbox, which needs "
                     "user namespaces (--insecure-no-sandbox: only for code that you "
                     "trust)");
    return -1;
}

static int
worker_prepare(struct worker_setup *setup, struct report *r)
{
    struct report why = {0};

    if (file_mkdirs(setup->config->home, r) != 0 ||
        file_mkdirs(setup->config->cache, r) != 0 || sandbox_probe_limits(r) != 0)
        return -1;
    /* As the daemon has it: programs that we start find what is there. */
    if (chmod(setup->config->cache, 0711) != 0)
        fprintf(stderr, "warpjudge worker: %s may be listed by others\n",
                setup->config->cache);
    if (!setup->insecure && worker_begin_sandboxes(setup, r) != 0)
        return -1;
    if (setup->insecure)
        worker_lacks(setup, "a sandbox (--insecure-no-sandbox)");
    if (cgroups_begin(&why) != 0) {
        char *text = xasprintf("control groups (%s)", why.text);

        worker_lacks(setup, text);
        free(text);
    }
    return 0;
}

/* The first words of a file, or "" where it is not there. The caller frees. */
static char *
worker_first_line(const char *path)
{
    struct buf text = {0};
    char *line;

    if (file_read(path, 4096, &text, NULL) != 0)
        buf_clear(&text);
    line = xasprintf("%.*s", (int)strcspn(buf_str(&text), "\n"), buf_str(&text));
    buf_free(&text);
    return line;
}

/* The toolkit's version, out of its version.json, or as its headers say it where it has
 * none. The caller frees. */
static char *
worker_toolkit(struct config *c)
{
    struct report ignored = {0};
    char *path, *version = NULL, *nvcc;
    cJSON *o;

    config_find_toolkit(c);
    if (c->cuda_root == NULL)
        return xstrdup("");
    nvcc = xasprintf("%s/bin/nvcc", c->cuda_root);
    setenv("WARPJUDGE_NVCC", nvcc, 1); /* so that compile steps need not look */
    path = xasprintf("%s/version.json", c->cuda_root);
    o = json_read_file(path, 1 << 20, &ignored);
    if (json_get_string(cJSON_GetObjectItemCaseSensitive(o, "cuda"), "version", &version,
                        &ignored) != 0)
        version = xstrdup(c->toolkit != NULL ? c->toolkit : "");
    cJSON_Delete(o);
    free(path);
    free(nvcc);
    return version;
}

static void
worker_add_device(const char *line, size_t len, struct worker_devices *all)
{
    struct worker_device d = {0};
    struct report r = {0};
    cJSON *o = json_parse(line, len, "--devices", &r);

    if (o != NULL && all->count < WORKER_DEVICES_MAX &&
        json_get_string(o, "name", &d.name, &r) == 0 &&
        json_get_string(o, "board", &d.board, &r) == 0 &&
        json_get_string(o, "title", &d.title, &r) == 0 &&
        json_get_string(o, "arch", &d.arch, &r) == 0 &&
        json_get_int(o, "memory_bytes", &d.memory_bytes, &r) == 0)
        all->device[all->count++] = d;
    cJSON_Delete(o);
}

static int
worker_list_devices(const struct config *c, struct worker_devices *all, struct report *r)
{
    char *program = config_libexec(c, "warpjudge-arbiter"), *said = NULL;
    const char *const argv[] = {program, "--devices", NULL};
    const int status = check_run(argv, "", DEVICES_LIMIT_MS, STDOUT_FILENO, &said);

    for (const char *line = said; status == 0 && *line != '\0';) {
        const size_t len = strcspn(line, "\n");

        worker_add_device(line, len, all);
        line += len + (line[len] == '\n');
    }
    if (all->count == 0)
        report_fail(r, "the devices cannot be listed: %s", status != 0 ? said : program);
    free(said);
    free(program);
    return all->count > 0 ? 0 : -1;
}

/* --- what works ---------------------------------------------------------- */

/* Chooses what --device names; or all GPUs, or emu where there is none. -1 and a report
 * where a name is no device's. */
static int
worker_choose(const struct args *args, const struct worker_devices *all,
              struct worker_setup *setup, struct report *r)
{
    const struct worker_device **chosen = setup->device;
    int count = 0;

    for (int i = 0; args->devices.count == 0 && i < all->count; i++)
        if (strcmp(all->device[i].name, "emu") != 0)
            chosen[count++] = &all->device[i];
    if (args->devices.count == 0 && count == 0)
        chosen[count++] = &all->device[0];
    for (int i = 0; i < args->devices.count && count < WORKER_DEVICES_MAX; i++) {
        int at = 0;

        while (at < all->count &&
               strcmp(all->device[at].name, args->devices.value[i]) != 0)
            at++;
        if (at == all->count)
            return report_fail(r, "this machine has no device \"%s\"",
                               args->devices.value[i]);
        chosen[count++] = &all->device[at];
    }
    setup->device_count = count;
    return 0;
}

/* Finds what programs are linked with. Where that cannot be said, it takes no artefacts;
 * who is to make some is refused. */
static int
worker_find_linked(struct worker_setup *setup, struct report *r)
{
    struct report why = {0};

    if (setup->compilers > 0 && setup->toolkit[0] == '\0')
        return report_fail(r,
                           "%s needs a toolkit that says its version (`warpjudge doctor` "
                           "says more)",
                           setup->device_count == 0 ? "--compile-only" : "--compilers");
    if (compile_linked_with(setup->config, setup->linked, &why) == 0)
        return 0;
    setup->linked[0] = '\0';
    if (setup->compilers > 0)
        return report_fail(r, "%s", why.text);
    fprintf(stderr, "warpjudge worker: what others compile is not judged here: %s\n",
            why.text);
    return 0;
}

/* Fills in what the machine is. */
static int
worker_describe(struct cli *cli, struct worker_setup *setup)
{
    char node[65] = "";

    if (gethostname(node, sizeof node - 1) != 0 || node[0] == '\0')
        snprintf(node, sizeof node, "unnamed");
    setup->node = xstrdup(node);
    setup->toolkit = worker_toolkit(&cli->config);
    setup->driver = worker_first_line("/sys/module/nvidia/version");
    return worker_find_linked(setup, &cli->report);
}

static int
worker_begin(struct cli *cli, struct worker_setup *setup, struct worker_devices *all)
{
    const bool judges = cli->args.flag[FLAG_COMPILE_ONLY] == NULL;
    sigset_t ends, pipes;

    if (worker_prepare(setup, &cli->report) != 0 ||
        (judges && (worker_list_devices(setup->config, all, &cli->report) != 0 ||
                    worker_choose(&cli->args, all, setup, &cli->report) != 0)) ||
        worker_describe(cli, setup) != 0)
        return EXIT_BAD_INPUT;
    if (worker_share(setup, &cli->report) != 0)
        return EXIT_JUDGE_FAILED;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    /* A program that has ended is found by its end. */
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipes, NULL);
    setup->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    if (setup->signals < 0) {
        report_errno(&cli->report, "signals cannot be waited for");
        return EXIT_JUDGE_FAILED;
    }
    return worker_run_all(setup, &cli->report);
}

static void
worker_devices_free(struct worker_devices *all)
{
    for (int i = 0; i < all->count; i++) {
        free(all->device[i].name);
        free(all->device[i].board);
        free(all->device[i].title);
        free(all->device[i].arch);
    }
}

static int
worker_verb(struct cli *cli)
{
    struct worker_setup setup = {
        .config = &cli->config, .signals = -1, .sharing.locks = -1};
    struct worker_devices all = {0};
    char *url = NULL;
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    status = worker_read_flags(cli, &setup, &url) == 0 ? worker_begin(cli, &setup, &all)
                                                       : EXIT_BAD_INPUT;
    cgroups_end();
    if (setup.signals >= 0)
        close(setup.signals);
    if (setup.sharing.locks >= 0)
        close(setup.sharing.locks);
    if (setup.token != NULL)
        explicit_bzero(setup.token, strlen(setup.token));
    free(setup.token);
    free(setup.node);
    free(setup.toolkit);
    free(setup.driver);
    free(url);
    worker_devices_free(&all);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_SERVER, "the judge, as https://judge.example"},
    {FLAG_TOKEN_FILE, "a file with a token of the scope worker, which only you may read"},
    {FLAG_DEVICE, "judge on this device; may be given several times"},
    {FLAG_COMPILERS, "also compile so many submissions at a time, ahead of judging"},
    {FLAG_COMPILE_ONLY, "judge nothing: compile what workers on other machines judge"},
    {FLAG_JOBS, "of --compile-only: so many at a time; otherwise one for each CPU"},
    {FLAG_IDLE_S, "leave after so many seconds without work"},
    {FLAG_UNTIL, "be gone by then, in seconds since 1970"},
    {FLAG_INSECURE, "run submissions without a sandbox: only your own"},
    {0, NULL},
};

const struct verb verb_worker = {
    .name = "worker",
    .arguments = "--server URL --token-file FILE",
    .summary = "judge for a daemon on another machine",
    .about =
        "Takes work from the judge at URL, judges it with this machine's devices, and "
        "sends\n"
        "the results back, until Ctrl-C. Without --device it uses all GPUs, or emu where "
        "there\n"
        "is none; each device judges one submission at a time. Two GPUs of one kind also "
        "judge\n"
        "problems for two, together. An admin makes its token by\n"
        "`warpjudge token new NODE --scopes worker`.\n"
        "\n"
        "A submission runs in the same sandbox as on the judge's own machine. What this\n"
        "machine lacks for that is said at the start. With --until it takes no work "
        "that\n"
        "could not end before, and gives back what has not ended.\n"
        "\n"
        "A device waits while its worker compiles what it judges. With --compilers N the "
        "worker\n"
        "compiles N submissions at a time beside that, for its devices and for all "
        "workers\n"
        "that fit. Its token is then one for both roles.\n"
        "\n"
        "With --compile-only it needs no GPU. While such a worker is there, workers that "
        "have\n"
        "the same toolkit and the same warpjudge judge what it has compiled, so that no "
        "GPU\n"
        "waits for nvcc. Without one each worker compiles what it judges.",
    .example = "  warpjudge worker --server https://judge.example --token-file token\n"
               "  warpjudge worker --server https://judge.example --token-file token "
               "--device cuda:0\n"
               "      --idle-s 60 --until 1767225600\n"
               "  warpjudge worker --server https://judge.example --token-file token "
               "--compilers 4\n"
               "  warpjudge worker --server https://judge.example --token-file token "
               "--compile-only\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .run = worker_verb,
};
