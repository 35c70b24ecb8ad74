#include "daemon/arguments.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/wall_clock.h"
#include "daemon/address.h"
#include "daemon/config_file.h"
#include "daemon/line.h"
#include "daemon/queue.h"
#include "daemon/quota.h"
#include "daemon/request.h"
#include "daemon/slurm/settings.h"
#include "daemon/workers.h"
#include "record/job.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 31536000
#define DRAIN_S 60
#define LEASE_S 60
#define TOKEN_WORKERS 1024
#define LEASE_LIMIT_S 25200 /* the watchdogs of a worker itself end after 6 h */
#define STAY 100

/* The codes of getopt: those of SERVE_OPTIONS, then what is no key of a config file. */
enum {
    OPTION_FIRST = 256,
    OPTION_CONFIG = OPTION_FIRST + SERVE_COUNT,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option OPTIONS[] = {
#define X(name, text, letter, value, about)                                              \
    {text, (value) != NULL ? required_argument : no_argument, NULL,                      \
     OPTION_FIRST + SERVE_##name},
    SERVE_OPTIONS(X)
#undef X
        {"config", required_argument, NULL, OPTION_CONFIG},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {0},
};

static const struct {
    const char *name, *value, *about;
} ABOUT[] = {
#define X(name, text, letter, value, about) {text, value, about},
    SERVE_OPTIONS(X)
#undef X
        {"config", "FILE", "read options from this file; the command line wins"},
};

static void
print_usage(FILE *out)
{
    fputs(
        "usage: warpjudged [OPTION]...\n"
        "\n"
        "The judge's daemon. `warpjudge serve` runs it in the foreground, and `warpjudge "
        "submit`\n"
        "starts one by itself. It listens on DIR/warpjudge.sock and keeps "
        "DIR/leaderboard.db;\n"
        "when it listens it prints {\"event\":\"ready\",\"socket\":PATH,\"port\":N} "
        "(port 0: no TCP).\n"
        "\n",
        out);
    for (size_t i = 0; i < sizeof ABOUT / sizeof *ABOUT; i++) {
        char *option =
            xasprintf("--%s%s%s", ABOUT[i].name, ABOUT[i].value != NULL ? " " : "",
                      ABOUT[i].value != NULL ? ABOUT[i].value : "");

        fprintf(out, "  %-26s %s\n", option, ABOUT[i].about);
        free(option);
    }
}

static int
parse_seconds(const char *label, const char *text, int least)
{
    int64_t value;

    if (!request_number(text, least, SECONDS_MAX, &value))
        die(EXIT_BAD_INPUT, "%s %s: it must be a number of seconds, %d or more", label,
            text, least);
    return (int)value;
}

static int
parse_stay(const char *label, const char *text)
{
    int64_t value;

    if (!request_number(text, 1, ARBITER_STAYS_MAX, &value))
        die(EXIT_BAD_INPUT, "%s %s: it must be a number of submissions, from 1 to %d",
            label, text, ARBITER_STAYS_MAX);
    return (int)value;
}

static int
parse_token_workers(const char *label, const char *text)
{
    int64_t value;

    if (!request_number(text, 1, WORKERS_MAX, &value))
        die(EXIT_BAD_INPUT, "%s %s: it must be a number of workers, from 1 to %d", label,
            text, WORKERS_MAX);
    return (int)value;
}

static int
parse_emu(const char *label, const char *text)
{
    int64_t value;

    if (!request_number(text, 1, LINE_WIDTH_MAX, &value))
        die(EXIT_BAD_INPUT,
            "%s %s: it must be a number of emulated devices, from 1 to %d", label, text,
            LINE_WIDTH_MAX);
    return (int)value;
}

/* Puts the home into the environment, where config_load() and our children look for
 * it. */
static void
set_home(const char *label, const char *dir)
{
    struct report r = {0};
    char *real;

    if (file_mkdirs(dir, &r) != 0)
        die(EXIT_BAD_INPUT, "%s: %s", label, r.text);
    real = realpath(dir, NULL);
    if (real == NULL || setenv("WARPJUDGE_HOME", real, 1) != 0)
        die(EXIT_BAD_INPUT, "%s %s: %s", label, dir, strerror(errno));
    free(real);
}

/* Below, a label is an option's name where it was written: "--quota", or "FILE:7: quota".
 */

static void
take_quota(const char *label, const char *value, const char *of, int64_t most,
           int64_t *out)
{
    if (!request_number(value, 1, most, out))
        die(EXIT_BAD_INPUT, "%s %s: it must be a number of %s, from 1 to %lld", label,
            value, of, (long long)most);
}

/* What the options fill. */
struct target {
    struct settings settings;
    struct policy policy;
    struct proxies proxies;
};

/* Takes an option that says who may do what. */
static void
take_policy(enum serve_option option, const char *label, const char *value,
            struct target *t)
{
    struct policy *p = &t->policy;
    struct report r = {0};

    switch (option) {
    case SERVE_REGISTRATION:
        if (registration_parse(value, &p->registration) != 0)
            die(EXIT_BAD_INPUT, "%s %s: it must be closed, invitation or open", label,
                value);
        break;
    case SERVE_SOURCES:
        if (sources_parse(value, &p->sources) != 0)
            die(EXIT_BAD_INPUT, "%s %s: it must be owner, solved or public", label,
                value);
        break;
    case SERVE_QUOTA:
        take_quota(label, value, "submissions in an hour", QUOTA_HOUR_MAX, &p->per_hour);
        break;
    case SERVE_QUOTA_IN_FLIGHT:
        take_quota(label, value, "submissions", QUEUE_PER_PERSON, &p->in_flight);
        break;
    case SERVE_QUOTA_DEVICE:
        take_quota(label, value, "seconds in 24 hours", QUOTA_DEVICE_S_MAX,
                   &p->device_s_day);
        break;
    case SERVE_OPEN:
        p->open = true;
        break;
    case SERVE_PROXY:
        t->proxies.count = 0;
        if (proxies_add(&t->proxies, value, &r) != 0)
            die(EXIT_BAD_INPUT, "%s: %s", label, r.text);
        break;
    default:
        t->proxies.header = value;
        break;
    }
}

/* Takes any other option. */
static void
take_setting(enum serve_option option, const char *label, const char *value,
             struct settings *s)
{
    switch (option) {
    case SERVE_HOME:
        set_home(label, value);
        break;
    case SERVE_LISTEN:
        s->listen = value;
        break;
    case SERVE_HOST_NAME:
        s->host_names = value;
        break;
    case SERVE_ALLOW_ORIGIN:
        if (!origins_are_valid(value))
            die(EXIT_BAD_INPUT,
                "%s %s: it must be origins with commas between, as in "
                "https://pages.example",
                label, value);
        s->allow_origins = value;
        break;
    case SERVE_IDLE_EXIT:
        s->idle_exit_s = parse_seconds(label, value, 1);
        break;
    case SERVE_EMU:
        s->emu = parse_emu(label, value);
        break;
    case SERVE_STAY:
        s->stay = parse_stay(label, value);
        break;
    case SERVE_WORKERS_ONLY:
        s->workers_only = true;
        break;
    case SERVE_LEASE:
        s->lease_s = parse_seconds(label, value, 1);
        break;
    case SERVE_LEASE_LIMIT:
        s->lease_limit_s = parse_seconds(label, value, 1);
        break;
    case SERVE_TOKEN_WORKERS:
        s->token_workers = parse_token_workers(label, value);
        break;
    case SERVE_DRAIN:
        s->drain_s = parse_seconds(label, value, 0);
        break;
    case SERVE_ZONE:
        if (!wall_zone_is_known(value))
            die(EXIT_BAD_INPUT,
                "%s %s: there is no such time zone in " WALL_ZONE_FOLDER
                ": it is a name such as Europe/Berlin, of the package tzdata",
                label, value);
        s->zone = value;
        break;
    case SERVE_LOG_FORMAT:
        if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
            die(EXIT_BAD_INPUT, "%s %s: it must be text or json", label, value);
        s->log_json = strcmp(value, "json") == 0;
        break;
    case SERVE_KEEP_JOBS:
        s->keep_jobs = true;
        break;
    case SERVE_SEED:
        if (!job_seed_is_valid(value))
            die(EXIT_BAD_INPUT, "%s: it must be %d hexadecimal digits, 0 to f", label,
                SEED_DIGITS);
        s->seed = value;
        break;
    case SERVE_LOCAL_USERS:
        s->local_users = true;
        break;
    default:
        s->insecure = true;
        break;
    }
}

static void
take_option(enum serve_option option, const char *label, const char *value,
            struct target *t)
{
    switch (option) {
    case SERVE_REGISTRATION:
    case SERVE_SOURCES:
    case SERVE_QUOTA:
    case SERVE_QUOTA_IN_FLIGHT:
    case SERVE_QUOTA_DEVICE:
    case SERVE_OPEN:
    case SERVE_PROXY:
    case SERVE_PROXY_HEADER:
        take_policy(option, label, value, t);
        break;
    default:
        take_setting(option, label, value, &t->settings);
    }
}

/* Takes the config file's options. Those that the command line has, too, are only
 * checked. The file's strings are used until the process ends. */
static void
take_file(const char *path, const char *const *said, struct target *t)
{
    static struct config_file file;
    struct report r = {0};

    if (config_file_read(path, &file, &r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    t->settings.slurm = &file.slurm;
    for (int i = 0; i < SERVE_COUNT; i++) {
        struct target unused = {0};
        char *label;

        if (file.value[i] == NULL || (i == SERVE_HOME && said[i] != NULL))
            continue;
        label = xasprintf("%s:%d: %s", path, file.line[i], ABOUT[i].name);
        if (i == SERVE_HOME && file.value[i][0] != '/')
            die(EXIT_BAD_INPUT, "%s %s: it must begin with /", label, file.value[i]);
        take_option((enum serve_option)i, label, file.value[i],
                    said[i] != NULL ? &unused : t);
        free(label);
    }
}

static void
take_command_line(const char *const *said, struct target *t)
{
    for (int i = 0; i < SERVE_COUNT; i++) {
        char *label;

        if (said[i] == NULL)
            continue;
        label = xasprintf("--%s", ABOUT[i].name);
        take_option((enum serve_option)i, label, said[i], t);
        free(label);
    }
}

/* Finds what the command line says of each option, and the config file's path. */
static const char *
read_command_line(int argc, char **argv, const char **said)
{
    const char *file = NULL;
    int option;

    while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
        switch (option) {
        case OPTION_CONFIG:
            file = optarg;
            break;
        case OPTION_HELP:
            print_usage(stdout);
            exit(0);
        case OPTION_VERSION:
            puts("warpjudged " WARPJUDGE_VERSION);
            exit(0);
        case '?':
            print_usage(stderr);
            exit(EXIT_BAD_INPUT);
        default:
            said[option - OPTION_FIRST] = optarg != NULL ? optarg : "";
        }
    }
    if (optind < argc)
        die(EXIT_BAD_INPUT, "\"%s\" is not understood: see --help", argv[optind]);
    return file;
}

/* Settles how many workers a token may have. All pilots have one token, and place in it.
 */
static void
settle_token_workers(struct settings *s)
{
    int pilots = s->slurm != NULL ? slurm_settings_workers(s->slurm) : 0;

    if (pilots > WORKERS_MAX)
        pilots = WORKERS_MAX;
    if (s->token_workers == 0)
        s->token_workers = pilots > TOKEN_WORKERS ? pilots : TOKEN_WORKERS;
    if (s->token_workers < pilots)
        die(EXIT_BAD_INPUT,
            "workers-per-token is %d, and the pilots of [slurm], which have one token, "
            "may be %d workers: raise it, or have fewer pilots",
            s->token_workers, pilots);
}

struct settings
arguments_parse(int argc, char **argv, struct policy *policy, struct proxies *proxies)
{
    struct target t = {.settings = {.drain_s = DRAIN_S,
                                    .lease_s = LEASE_S,
                                    .lease_limit_s = LEASE_LIMIT_S,
                                    .stay = STAY}};
    const char *said[SERVE_COUNT] = {0};
    const char *file = read_command_line(argc, argv, said);

    if (file != NULL)
        take_file(file, said, &t);
    take_command_line(said, &t);
    settle_token_workers(&t.settings);
    if (t.proxies.header != NULL && t.proxies.count == 0)
        die(EXIT_BAD_INPUT, "--proxy-header needs --proxy, which says whose header is "
                            "believed");
    *policy = t.policy;
    *proxies = t.proxies;
    return t.settings;
}
