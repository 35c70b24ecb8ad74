#include "daemon/slurm/settings.h"

#include "base/buf.h"
#include "daemon/request.h"
#include "daemon/slurm/sbatch_options.h"
#include "problem/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define POLL_S 15
#define POLL_S_MAX 600
#define TIME_MIN 60
#define TIME_MIN_LEAST 2 /* in its last minute a pilot takes no work */
#define TIME_MIN_MAX 43200
#define PILOTS 4
#define GPUS_MAX 2
#define COMPILERS_MAX 32 /* as `warpjudge worker` has it */

static const struct {
    const char *name;
    bool of_group;
} KEYS[SLURM_KEY_COUNT] = {
#define X(name, text, of_group) [SLURM_##name] = {text, of_group},
    SLURM_KEYS(X)
#undef X
};

static bool
name_is_valid(const char *name, size_t len)
{
    return len > 0 && len <= SLURM_GROUP_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") >= len && name[0] != '-';
}

int
slurm_settings_section(struct slurm_settings *s, const char *line, int number,
                       struct report *r)
{
    const size_t len = strcspn(line, "]\r\n");
    const char *name = line + strlen("[slurm ");

    if (strncmp(line, "[slurm]", 7) == 0) {
        if (s->line > 0)
            return report_fail(r, "[slurm] stands in line %d already", s->line);
        s->line = number;
        s->current = -1;
        return 0;
    }
    if (strncmp(line, "[slurm ", 7) != 0)
        return report_fail(r, "there are no sections but [slurm] and [slurm NAME]: write "
                              "KEY = VALUE");
    if (line[len] != ']' || !name_is_valid(name, (size_t)(line + len - name)))
        return report_fail(r,
                           "in [slurm NAME] the name has small letters, digits and -, "
                           "at most %d",
                           SLURM_GROUP_NAME_MAX);
    if (s->line == 0)
        return report_fail(r, "[slurm] must stand before this section");
    if (s->count == SLURM_GROUPS_MAX)
        return report_fail(r, "there may be %d sections [slurm NAME]", SLURM_GROUPS_MAX);
    for (int i = 0; i < s->count; i++)
        if (strncmp(s->group[i].name, name, (size_t)(line + len - name)) == 0 &&
            s->group[i].name[line + len - name] == '\0')
            return report_fail(r, "%.*s] stands in line %d already", (int)len, line,
                               s->group[i].line);
    s->current = s->count++;
    s->group[s->current] = (struct slurm_group){
        .pilots = PILOTS, .time_min = TIME_MIN, .gpus = 1, .line = number};
    memcpy(s->group[s->current].name, name, (size_t)(line + len - name));
    return 0;
}

/* Which key is it in this section? */
static int
key_find(bool of_group, const char *key, enum slurm_key *out, struct report *r)
{
    const char *names[SLURM_KEY_COUNT], *meant;
    size_t count = 0;

    for (int i = 0; i < SLURM_KEY_COUNT; i++) {
        if (KEYS[i].of_group != of_group)
            continue;
        if (strcmp(key, KEYS[i].name) == 0) {
            *out = (enum slurm_key)i;
            return 0;
        }
        names[count++] = KEYS[i].name;
    }
    meant = nearest_name(key, names, count);
    return report_fail(r, "[slurm%s] has no key %s%s%s%s", of_group ? " NAME" : "", key,
                       meant != NULL ? ": did you mean " : "", meant != NULL ? meant : "",
                       meant != NULL ? "?" : "");
}

static int
take_number_from(const char *key, const char *value, int least, int most, const char *of,
                 int *out, struct report *r)
{
    int64_t number;

    if (!request_number(value, least, most, &number))
        return report_fail(r, "%s = %s: it must be a number of %s, from %d to %d", key,
                           value, of, least, most);
    *out = (int)number;
    return 0;
}

static int
take_number(const char *key, const char *value, int most, const char *of, int *out,
            struct report *r)
{
    return take_number_from(key, value, 1, most, of, out, r);
}

/* Is it a path that a shell's quotes and sbatch's % patterns leave as it is? */
static int
take_path(const char *key, const char *value, char **out, struct report *r)
{
    if (value[0] != '/' || strpbrk(value, "'%\\") != NULL)
        return report_fail(r, "%s = %s: it must begin with /, and have no ', %% and \\",
                           key, value);
    *out = xstrdup(value);
    return 0;
}

/* Does a worker send its token there? As login_check_secrecy() of the command line. */
static bool
server_gets_tokens(const char *url)
{
    const char *host = url + strlen("http://");
    const size_t len = strcspn(host, ":/");

    return strncmp(url, "https://", 8) == 0 || strncmp(host, "[::1]", 5) == 0 ||
           (len == strlen("localhost") && strncasecmp(host, "localhost", len) == 0) ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len);
}

static int
take_server(const char *value, char **out, struct report *r)
{
    if ((strncmp(value, "http://", 7) != 0 && strncmp(value, "https://", 8) != 0) ||
        strpbrk(value, "' \\") != NULL)
        return report_fail(r,
                           "server = %s: it must be a URL by which nodes reach this "
                           "judge, as in https://judge.example",
                           value);
    if (!server_gets_tokens(value))
        return report_fail(r,
                           "server = %s: pilots send their token over plain HTTP only "
                           "to localhost; elsewhere it must be https://",
                           value);
    *out = xstrdup(value);
    return 0;
}

static int
take_options(const char *value, struct slurm_group *g, struct report *r)
{
    char *rest, *word;

    g->options = xstrdup(value);
    rest = g->options;
    while ((word = strsep(&rest, " \t")) != NULL) {
        if (word[0] == '\0')
            continue;
        if (word[0] != '-' || strspn(word, "-") == strcspn(word, "="))
            return report_fail(r,
                               "options = ... %s: an option begins with - and is one "
                               "word, as in --qos=low",
                               word);
        if (sbatch_option_check(word, r) != 0)
            return -1;
        if (g->option_count == SLURM_OPTIONS_MAX)
            return report_fail(r, "there may be %d options", SLURM_OPTIONS_MAX);
        g->option[g->option_count++] = word;
    }
    return 0;
}

static int
take_of_all(struct slurm_settings *s, enum slurm_key key, const char *value,
            struct report *r)
{
    switch (key) {
    case SLURM_SERVER:
        return take_server(value, &s->server, r);
    case SLURM_SHARED:
        return take_path("shared", value, &s->shared, r);
    case SLURM_USER:
        s->user = xstrdup(value);
        return 0;
    case SLURM_PROGRAM:
        return take_path("program", value, &s->program, r);
    case SLURM_NODE_HOME:
        return take_path("node-home", value, &s->node_home, r);
    default:
        return take_number("poll", value, POLL_S_MAX, "seconds", &s->poll_s, r);
    }
}

static int
take_of_group(struct slurm_group *g, enum slurm_key key, const char *value,
              struct report *r)
{
    switch (key) {
    case SLURM_BOARD:
        g->board = xstrdup(value);
        return 0;
    case SLURM_ARCH:
        if (strncmp(value, "sm_", 3) != 0 || strlen(value) > 8 ||
            value[3 + strspn(value + 3, "0123456789af")] != '\0')
            return report_fail(r, "arch = %s: it must be an architecture, as sm_90a",
                               value);
        g->arch = xstrdup(value);
        return 0;
    case SLURM_DEVICE:
        if (strpbrk(value, "' \\") != NULL)
            return report_fail(r, "device = %s: this is no device's name", value);
        g->device = xstrdup(value);
        return 0;
    case SLURM_PARTITION:
        g->partition = xstrdup(value);
        return 0;
    case SLURM_GRES:
        g->gres = xstrdup(value);
        return 0;
    case SLURM_ACCOUNT:
        g->account = xstrdup(value);
        return 0;
    case SLURM_CONSTRAINT:
        g->constraint = xstrdup(value);
        return 0;
    case SLURM_OPTIONS:
        return take_options(value, g, r);
    case SLURM_PILOTS:
        return take_number("pilots", value, SLURM_PILOTS_MAX, "jobs", &g->pilots, r);
    case SLURM_TIME:
        return take_number_from("time", value, TIME_MIN_LEAST, TIME_MIN_MAX, "minutes",
                                &g->time_min, r);
    case SLURM_GPUS:
        return take_number("gpus", value, GPUS_MAX, "GPUs", &g->gpus, r);
    case SLURM_COMPILERS:
        return take_number_from("compilers", value, 0, COMPILERS_MAX,
                                "submissions that a pilot compiles at a time",
                                &g->compilers, r);
    default:
        g->container = xstrdup(value);
        return 0;
    }
}

int
slurm_settings_take(struct slurm_settings *s, const char *key, const char *value,
                    int number, struct report *r)
{
    const bool of_group = s->current >= 0;
    struct slurm_group *g = of_group ? &s->group[s->current] : NULL;
    int *line = of_group ? g->key_line : s->key_line;
    enum slurm_key found = SLURM_KEY_COUNT;

    if (key_find(of_group, key, &found, r) != 0)
        return -1;
    if (line[found] > 0)
        return report_fail(r, "%s stands in line %d already", key, line[found]);
    line[found] = number;
    if (value[0] == '\0')
        return report_fail(r, "%s has no value", key);
    return of_group ? take_of_group(g, found, value, r) : take_of_all(s, found, value, r);
}

/* Is all said of the group that must be, and does it agree? */
static int
group_complete(struct slurm_group *g, int *number, struct report *r)
{
    *number = g->line;
    if (g->board == NULL)
        return report_fail(r, "[slurm %s] needs the key board", g->name);
    if (g->arch == NULL && strcmp(g->board, "emu") != 0)
        return report_fail(r, "[slurm %s] needs the key arch, as in arch = sm_90a",
                           g->name);
    if (g->gpus > 1 && (g->arch == NULL || g->device != NULL))
        return report_fail(r,
                           "[slurm %s] has gpus = %d, and therefore no key device and "
                           "another board than emu: its pilots judge on all GPUs of "
                           "their jobs",
                           g->name, g->gpus);
    *number = g->key_line[SLURM_GRES];
    if (g->gres != NULL && sbatch_gres_check_gpus(g->gres, g->gpus, r) != 0)
        return -1;
    *number = g->key_line[SLURM_OPTIONS];
    for (int i = 0; i < g->option_count; i++)
        if (sbatch_option_check_gpus(g->option[i], g->gpus, r) != 0)
            return -1;
    if (g->device == NULL)
        g->device = xstrdup(strcmp(g->board, "emu") == 0 ? "emu" : "cuda:0");
    return 0;
}

int
slurm_settings_complete(struct slurm_settings *s, int *number, struct report *r)
{
    *number = s->line;
    if (s->line == 0)
        return 0;
    if (s->poll_s == 0)
        s->poll_s = POLL_S;
    if (s->server == NULL || s->shared == NULL || s->user == NULL)
        return report_fail(r, "[slurm] needs the key %s",
                           s->server == NULL   ? "server"
                           : s->shared == NULL ? "shared"
                                               : "user");
    if (s->count == 0)
        return report_fail(r,
                           "[slurm] alone starts no pilot: add a section [slurm NAME]");
    for (int i = 0; i < s->count; i++)
        if (group_complete(&s->group[i], number, r) != 0)
            return -1;
    return 0;
}

int
slurm_settings_workers(const struct slurm_settings *s)
{
    int count = 0;

    for (int i = 0; i < s->count; i++)
        count += s->group[i].pilots * (s->group[i].gpus + s->group[i].compilers);
    return count;
}

bool
slurm_settings_compile(const struct slurm_settings *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->group[i].compilers > 0)
            return true;
    return false;
}

void
slurm_settings_free(struct slurm_settings *s)
{
    for (int i = 0; i < s->count; i++) {
        struct slurm_group *g = &s->group[i];

        free(g->board);
        free(g->arch);
        free(g->device);
        free(g->partition);
        free(g->gres);
        free(g->account);
        free(g->constraint);
        free(g->options);
        free(g->container);
    }
    free(s->server);
    free(s->shared);
    free(s->user);
    free(s->program);
    free(s->node_home);
    *s = (struct slurm_settings){0};
}
