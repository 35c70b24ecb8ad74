#include "daemon/arguments.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/line.h"
#include "daemon/queue.h"
#include "daemon/request.h"
#include "record/job.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUOTA_MAX 10000
#define QUOTA_DEVICE_S_MAX 10000000
#define SECONDS_MAX 31536000
#define DRAIN_S 60

static const char USAGE[] =
    "usage: warpjudged [--home DIR] [--listen HOST:PORT] [--host-name NAME,...]\n"
    "                  [--registration WHO] [--sources WHO] [--open] "
    "[--local-users]\n"
    "                  [--quota N] [--quota-in-flight N] [--quota-device-seconds N]\n"
    "                  [--proxy NETWORK,... --proxy-header NAME]\n"
    "                  [--emu N] [--drain SECONDS] [--idle-exit SECONDS] [--keep-jobs] "
    "[--seed "
    "SEED] "
    "[--insecure-no-sandbox]\n"
    "\n"
    "The judge's daemon. `warpjudge serve` runs it in the foreground, and `warpjudge "
    "submit`\n"
    "starts one by itself. It listens on DIR/warpjudge.sock and keeps "
    "DIR/leaderboard.db;\n"
    "when it listens it prints {\"event\":\"ready\",\"socket\":PATH,\"port\":N} (port 0: "
    "no TCP).\n"
    "\n"
    "  --home DIR              where everything is kept; default: WARPJUDGE_HOME, or "
    "the\n"
    "                          checkout it runs from, or ~/.local/share/warpjudge\n"
    "  --listen HOST:PORT      serve TCP too; port 0 takes a free one. An address that "
    "other\n"
    "                          machines reach needs --registration or --open\n"
    "  --registration WHO      have accounts, which these may make: closed (the first "
    "admin\n"
    "                          only), invitation (whom an admin invites) or open\n"
    "  --sources WHO           who may see a source, beside its owner and the staff: "
    "owner,\n"
    "                          solved (who has solved the problem) or public\n"
    "  --quota N               a member may make so many submissions in an hour\n"
    "  --quota-in-flight N     ... have so many submissions that are not done\n"
    "  --quota-device-seconds N  ... use devices for so many seconds in 24 hours\n"
    "  --open                  whoever reaches the port may submit under any name that "
    "is "
    "no\n"
    "                          account's, and see every source\n"
    "  --proxy NETWORK,...     believe reverse proxies there when they name the user in "
    "the\n"
    "  --proxy-header NAME     header NAME, which they must remove from what they get\n"
    "  --local-users           all logins of this machine may use the socket, under "
    "their names\n"
    "  --host-name NAME,...    answer to requests for these hosts, too; without it to "
    "localhost\n"
    "                          and to the addresses at which connections come in\n"
    "  --drain SECONDS         for how long SIGTERM and Ctrl-C wait until what is judged "
    "has\n"
    "                          ended; default: 60. A second signal waits no longer\n"
    "  --emu N                 judge so many submissions on emu at a time; default: one "
    "for\n"
    "                          each two CPUs\n"
    "  --idle-exit SECONDS     end after so long without a request and with nothing "
    "queued\n"
    "  --keep-jobs             leave the folders of judgements in DIR/jobs, to look at\n"
    "  --seed SEED             draw no inputs: make all of them from these 64 "
    "hexadecimal\n"
    "                          digits. Whoever knows them knows the inputs: for tests\n"
    "  --insecure-no-sandbox   run submissions unconfined: only for code that you "
    "trust\n";

static int
parse_seconds(const char *option, const char *text, int least)
{
    int64_t value;

    if (!request_number(text, least, SECONDS_MAX, &value))
        die(EXIT_BAD_INPUT, "%s %s: it must be a number of seconds, %d or more", option,
            text, least);
    return (int)value;
}

static int
parse_emu(const char *text)
{
    int64_t value;

    if (!request_number(text, 1, LINE_WIDTH_MAX, &value))
        die(EXIT_BAD_INPUT,
            "--emu %s: it must be a number of emulated devices, from 1 to %d", text,
            LINE_WIDTH_MAX);
    return (int)value;
}

/* Puts the home into the environment, where config_load() and our children look for
 * it. */
static void
set_home(const char *dir)
{
    struct report r = {0};
    char *real;

    if (file_mkdirs(dir, &r) != 0)
        die(EXIT_BAD_INPUT, "--home: %s", r.text);
    real = realpath(dir, NULL);
    if (real == NULL || setenv("WARPJUDGE_HOME", real, 1) != 0)
        die(EXIT_BAD_INPUT, "--home %s: %s", dir, strerror(errno));
    free(real);
}

enum {
    OPTION_HOME = 256,
    OPTION_LISTEN,
    OPTION_HOST_NAME,
    OPTION_IDLE_EXIT,
    OPTION_DRAIN,
    OPTION_EMU,
    OPTION_KEEP_JOBS,
    OPTION_SEED,
    OPTION_REGISTRATION,
    OPTION_SOURCES,
    OPTION_QUOTA,
    OPTION_QUOTA_IN_FLIGHT,
    OPTION_QUOTA_DEVICE,
    OPTION_OPEN,
    OPTION_PROXY,
    OPTION_PROXY_HEADER,
    OPTION_LOCAL_USERS,
    OPTION_INSECURE,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option OPTIONS[] = {
    {"home", required_argument, NULL, OPTION_HOME},
    {"listen", required_argument, NULL, OPTION_LISTEN},
    {"host-name", required_argument, NULL, OPTION_HOST_NAME},
    {"idle-exit", required_argument, NULL, OPTION_IDLE_EXIT},
    {"emu", required_argument, NULL, OPTION_EMU},
    {"drain", required_argument, NULL, OPTION_DRAIN},
    {"keep-jobs", no_argument, NULL, OPTION_KEEP_JOBS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"registration", required_argument, NULL, OPTION_REGISTRATION},
    {"sources", required_argument, NULL, OPTION_SOURCES},
    {"quota", required_argument, NULL, OPTION_QUOTA},
    {"quota-in-flight", required_argument, NULL, OPTION_QUOTA_IN_FLIGHT},
    {"quota-device-seconds", required_argument, NULL, OPTION_QUOTA_DEVICE},
    {"open", no_argument, NULL, OPTION_OPEN},
    {"proxy", required_argument, NULL, OPTION_PROXY},
    {"proxy-header", required_argument, NULL, OPTION_PROXY_HEADER},
    {"local-users", no_argument, NULL, OPTION_LOCAL_USERS},
    {"insecure-no-sandbox", no_argument, NULL, OPTION_INSECURE},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {0},
};

static void
take_quota(const char *option, const char *value, const char *of, int64_t most,
           int64_t *out)
{
    if (!request_number(value, 1, most, out))
        die(EXIT_BAD_INPUT, "%s %s: it must be a number of %s, from 1 to %lld", option,
            value, of, (long long)most);
}

/* Takes an option that says who may do what. */
static void
take_policy(int option, const char *value, struct policy *p, struct proxies *proxies)
{
    struct report r = {0};

    switch (option) {
    case OPTION_REGISTRATION:
        if (registration_parse(value, &p->registration) != 0)
            die(EXIT_BAD_INPUT,
                "--registration %s: it must be closed, invitation or open", value);
        break;
    case OPTION_SOURCES:
        if (sources_parse(value, &p->sources) != 0)
            die(EXIT_BAD_INPUT, "--sources %s: it must be owner, solved or public",
                value);
        break;
    case OPTION_QUOTA:
        take_quota("--quota", value, "submissions in an hour", QUOTA_MAX, &p->per_hour);
        break;
    case OPTION_QUOTA_IN_FLIGHT:
        take_quota("--quota-in-flight", value, "submissions", QUEUE_PER_PERSON,
                   &p->in_flight);
        break;
    case OPTION_QUOTA_DEVICE:
        take_quota("--quota-device-seconds", value, "seconds in 24 hours",
                   QUOTA_DEVICE_S_MAX, &p->device_s_day);
        break;
    case OPTION_OPEN:
        p->open = true;
        break;
    case OPTION_PROXY:
        if (proxies_add(proxies, value, &r) != 0)
            die(EXIT_BAD_INPUT, "--proxy: %s", r.text);
        break;
    default:
        proxies->header = value;
        break;
    }
}

/* Takes any other option. */
static void
take_setting(int option, const char *value, struct settings *s)
{
    switch (option) {
    case OPTION_HOME:
        set_home(value);
        break;
    case OPTION_LISTEN:
        s->listen = value;
        break;
    case OPTION_HOST_NAME:
        s->host_names = value;
        break;
    case OPTION_IDLE_EXIT:
        s->idle_exit_s = parse_seconds("--idle-exit", value, 1);
        break;
    case OPTION_EMU:
        s->emu = parse_emu(value);
        break;
    case OPTION_DRAIN:
        s->drain_s = parse_seconds("--drain", value, 0);
        break;
    case OPTION_KEEP_JOBS:
        s->keep_jobs = true;
        break;
    case OPTION_SEED:
        if (!job_seed_is_valid(value))
            die(EXIT_BAD_INPUT, "--seed: it must be %d hexadecimal digits, 0 to f",
                SEED_DIGITS);
        s->seed = value;
        break;
    case OPTION_LOCAL_USERS:
        s->local_users = true;
        break;
    case OPTION_INSECURE:
        s->insecure = true;
        break;
    case OPTION_HELP:
        fputs(USAGE, stdout);
        exit(0);
    case OPTION_VERSION:
        puts("warpjudged " WARPJUDGE_VERSION);
        exit(0);
    default:
        fputs(USAGE, stderr);
        exit(EXIT_BAD_INPUT);
    }
}

struct settings
arguments_parse(int argc, char **argv, struct policy *policy, struct proxies *proxies)
{
    struct settings s = {.drain_s = DRAIN_S};
    int option;

    while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1)
        if (option >= OPTION_REGISTRATION && option <= OPTION_PROXY_HEADER)
            take_policy(option, optarg, policy, proxies);
        else
            take_setting(option, optarg, &s);
    if (optind < argc)
        die(EXIT_BAD_INPUT, "\"%s\" is not understood: see --help", argv[optind]);
    if ((proxies->header != NULL) != (proxies->count > 0))
        die(EXIT_BAD_INPUT, "--proxy and --proxy-header are given together: one says who "
                            "may name the user, the other where");
    return s;
}
