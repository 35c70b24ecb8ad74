/* Finds the folders and files of this installation from the program's own path and from
 * the environment. */
#include "base/config.h"

#include "base/buf.h"
#include "base/own_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static bool
is_folder_with(const char *dir, const char *name)
{
    char *path = xasprintf("%s/%s", dir, name);
    bool there = access(path, R_OK) == 0;

    free(path);
    return there;
}

static const char *
config_environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The folder `levels` above path, or "/" where there are not as many. The caller
 * frees. */
static char *
config_folder_above(const char *path, int levels)
{
    char *copy = xstrdup(path);

    while (levels-- > 0) {
        char *slash = strrchr(copy, '/');

        if (slash == NULL || slash == copy)
            break;
        *slash = '\0';
    }
    return copy;
}

static int
find_prefix(struct config *c, struct report *r)
{
    char *self = own_program_path(r);

    if (self == NULL)
        return -1;
    c->prefix = config_folder_above(self, 2);
    free(self);
    return 0;
}

static char *
find_home(const char *checkout)
{
    const char *said = config_environment("WARPJUDGE_HOME");
    const char *data = config_environment("XDG_DATA_HOME");
    const char *home = config_environment("HOME");

    if (said != NULL)
        return said[0] == '/' ? xstrdup(said) : realpath(said, NULL);
    if (checkout != NULL)
        return xstrdup(checkout);
    if (data != NULL)
        return xasprintf("%s/warpjudge", data);
    return xasprintf("%s/.local/share/warpjudge", home != NULL ? home : "/tmp");
}

int
config_load(struct config *c, struct report *r)
{
    char *share, *checkout;
    const char *problems = config_environment("WARPJUDGE_PROBLEMS");

    *c = (struct config){0};
    if (find_prefix(c, r) != 0)
        return -1;
    share = xasprintf("%s/share/warpjudge/problems", c->prefix);
    checkout = config_folder_above(c->prefix, 2);
    if (!is_folder_with(checkout, "problems") || !is_folder_with(checkout, "Makefile")) {
        free(checkout);
        checkout = NULL;
    }
    if (problems != NULL)
        c->problems = xstrdup(problems);
    else if (checkout != NULL)
        c->problems = xasprintf("%s/problems", checkout);
    else
        c->problems = xstrdup(share);
    c->home = find_home(checkout);
    free(share);
    free(checkout);
    if (c->home == NULL)
        return report_errno(r, "WARPJUDGE_HOME=%s", getenv("WARPJUDGE_HOME"));
    c->libexec = xasprintf("%s/libexec", c->prefix);
    c->lib = xasprintf("%s/lib", c->prefix);
    c->database = xasprintf("%s/leaderboard.db", c->home);
    c->jobs = xasprintf("%s/jobs", c->home);
    c->cache = xasprintf("%s/cache", c->home);
    c->socket = xasprintf("%s/warpjudge.sock", c->home);
    if (strlen(c->socket) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return report_fail(r,
                           "the folder %s has too long a name for a Unix socket (107 "
                           "bytes): set WARPJUDGE_HOME to a shorter one",
                           c->home);
    return 0;
}

void
config_free(struct config *c)
{
    free(c->prefix);
    free(c->libexec);
    free(c->lib);
    free(c->problems);
    free(c->home);
    free(c->database);
    free(c->socket);
    free(c->jobs);
    free(c->cache);
    free(c->nvcc);
    free(c->cuda_root);
    free(c->toolkit);
    *c = (struct config){0};
}

char *
config_libexec(const struct config *c, const char *name)
{
    return xasprintf("%s/%s", c->libexec, name);
}
