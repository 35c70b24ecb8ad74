/* Looks for the file of a failure whenever a program asks whether the failure happens. */
#include "base/inject.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const FILES[INJECT_COUNT] = {
#define X(kind, file) [INJECT_##kind] = (file),
    INJECTIONS(X)
#undef X
};

const char *
inject_folder(void)
{
    const char *folder = getenv("WARPJUDGE_INJECT");

    return folder != NULL && folder[0] != '\0' ? folder : NULL;
}

/* False where there is no such file. */
static bool
read_plan(const char *path, unsigned *skip, bool *always)
{
    FILE *f = fopen(path, "re");
    char line[32] = "", *word;

    if (f == NULL)
        return false;
    if (fgets(line, sizeof line, f) == NULL)
        line[0] = '\0';
    fclose(f);
    *skip = (unsigned)strtoul(line, &word, 10);
    *always = strncmp(word, " always", 7) == 0;
    return true;
}

bool
inject(enum inject what)
{
    static unsigned met[INJECT_COUNT];
    const char *folder = inject_folder();
    unsigned skip;
    bool always, happens = false;
    char *path;

    if (folder == NULL)
        return false;
    path = xasprintf("%s/%s", folder, FILES[what]);
    /* Two processes may meet the file at once: the one that removes it fails. */
    if (read_plan(path, &skip, &always) && met[what]++ >= skip)
        happens = always || unlink(path) == 0;
    free(path);
    return happens;
}

void
inject_kill(enum inject what)
{
    if (inject(what))
        (void)raise(SIGKILL);
}

void
inject_hold(enum inject what)
{
    const char *folder = inject_folder();
    char *path, byte;
    int fd;

    if (folder == NULL)
        return;
    path = xasprintf("%s/%s", folder, FILES[what]);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    if (fd < 0)
        return;
    while (read(fd, &byte, 1) < 0 && errno == EINTR)
        ;
    close(fd);
}
