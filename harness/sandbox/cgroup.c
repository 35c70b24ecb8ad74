#include "sandbox/cgroup_place.h"

#include "base/buf.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* This variable tells the programs that the daemon starts where groups are made:
 * "VERSION:FOLDER" or "VERSION:FOLDER:FOLDER". It is trusted, because somebody who can
 * set a trusted program's environment can do worse. */
#define VARIABLE "WARPJUDGE_CGROUPS"
#define HOME "warpjudge-"

/* The group also holds bubblewrap's own two processes. */
#define OWN_PROCESSES 2

/* How often we try to remove a group whose last processes are still dying. The daemon's
 * loop waits meanwhile, so its sweep tries less often and comes again. */
#define REMOVE_TRIES 200
#define SWEEP_TRIES 20

/* How near its limit a group is that has reached it: Linux charges several pages at once.
 */
#define CHARGE_BYTES ((uint64_t)1 << 20)
#define REMOVE_STEP_NS 5000000L

/* --- files ----------------------------------------------------------------- */

char *
cgroup_read(const char *folder, const char *file)
{
    char *path = xasprintf("%s/%s", folder, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct buf text = {0};
    char chunk[4096];
    ssize_t n = -1;

    while (fd >= 0 && (n = read(fd, chunk, sizeof chunk)) > 0)
        buf_add(&text, chunk, (size_t)n);
    if (fd >= 0)
        close(fd);
    free(path);
    if (n == 0)
        return buf_take(&text);
    buf_free(&text);
    return NULL;
}

int
cgroup_write(const char *folder, const char *file, const char *text)
{
    char *path = xasprintf("%s/%s", folder, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    const size_t len = strlen(text);
    int rc = fd >= 0 && write(fd, text, len) == (ssize_t)len ? 0 : -1;
    const int failure = errno;

    if (fd >= 0)
        close(fd);
    free(path);
    errno = failure;
    return rc;
}

static int
cgroup_write_number(const char *folder, const char *file, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%ju", (uintmax_t)value);
    return cgroup_write(folder, file, text);
}

/* The number after "key " in a file of such lines, or 0 if there is no such line. */
static uint64_t
cgroup_read_count(const char *folder, const char *file, const char *key)
{
    char *text = cgroup_read(folder, file);
    const size_t len = strlen(key);
    uint64_t count = 0;

    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, key, len) == 0 && line[len] == ' ')
            count = strtoull(line + len, NULL, 10);
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    free(text);
    return count;
}

/* The number in a file that has nothing else, or 0 if there is no such file. */
static uint64_t
cgroup_read_number(const char *folder, const char *file)
{
    char *text = cgroup_read(folder, file);
    const uint64_t number = text != NULL ? strtoull(text, NULL, 10) : 0;

    free(text);
    return number;
}

/* --- what the daemon has prepared ------------------------------------------- */

/* Reads the variable. It returns false if no daemon has prepared a place for groups. */
static bool
cgroups_prepared(struct cgroup_place *out)
{
    const char *text = getenv(VARIABLE);
    const char *first, *second;

    *out = (struct cgroup_place){0};
    if (text == NULL || (text[0] != '1' && text[0] != '2') || text[1] != ':')
        return false;
    first = text + 2;
    second = strchr(first, ':');
    out->version = text[0] - '0';
    out->folder[0] =
        second != NULL ? strndup(first, (size_t)(second - first)) : xstrdup(first);
    out->folder[1] = second != NULL ? xstrdup(second + 1) : NULL;
    return out->folder[0] != NULL;
}

/* --- one group ------------------------------------------------------------- */

/* Makes a group's folder. The group above is empty between judgements, so that others may
 * remove it: to a daemon in another namespace of pids its owner seems to be gone. Then it
 * is made again. */
static int
cgroup_make_folder(const struct cgroup_place *above, int tree, const char *folder)
{
    if (mkdir(folder, 0755) == 0)
        return 0;
    if (errno != ENOENT || (mkdir(above->folder[tree], 0755) != 0 && errno != EEXIST))
        return -1;
    if (above->version == 2 &&
        cgroup_write(above->folder[tree], "cgroup.subtree_control", "+memory +pids") != 0)
        return -1;
    return mkdir(folder, 0755);
}

static int
cgroup_make_folders(const struct cgroup_place *above, const char *name,
                    struct cgroup_place *out, struct report *r)
{
    *out = (struct cgroup_place){.version = above->version};
    for (int i = 0; i < CGROUP_TREES && above->folder[i] != NULL; i++) {
        out->folder[i] = xasprintf("%s/%s", above->folder[i], name);
        if (cgroup_make_folder(above, i, out->folder[i]) != 0) {
            report_errno(r, "the control group %s cannot be made", out->folder[i]);
            free(out->folder[i]);
            out->folder[i] = NULL;
            (void)cgroup_remove(out);
            return -1;
        }
    }
    return 0;
}

/* Limits memory and processes. Swap is limited too, because it would only be a slower way
 * past the memory limit; a kernel that does not count swap cannot limit it either.
 * Without memory.oom.group the end of process 1 ends the rest of the sandbox. */
static int
cgroup_set_limits(const struct cgroup_place *g, const struct sandbox *s)
{
    const bool v2 = g->version == 2;
    const char *pids = v2 ? g->folder[0] : g->folder[1];

    if (cgroup_write_number(g->folder[0], v2 ? "memory.max" : "memory.limit_in_bytes",
                            s->memory_bytes) != 0)
        return -1;
    if (v2) {
        (void)cgroup_write(g->folder[0], "memory.swap.max", "0");
        (void)cgroup_write(g->folder[0], "memory.oom.group", "1");
    } else {
        (void)cgroup_write_number(g->folder[0], "memory.memsw.limit_in_bytes",
                                  s->memory_bytes);
    }
    return s->processes == 0
               ? 0
               : cgroup_write_number(pids, "pids.max", s->processes + OWN_PROCESSES);
}

int
cgroup_make(const struct sandbox *s, struct cgroup_place *g, struct report *r)
{
    static unsigned made;
    struct cgroup_place above;
    char name[48];
    int rc = 0;

    *g = (struct cgroup_place){0};
    if (s->memory_bytes == 0 || !cgroups_prepared(&above))
        return 0;
    snprintf(name, sizeof name, "%d-%u", (int)getpid(), made++);
    rc = cgroup_make_folders(&above, name, g, r);
    cgroup_place_free(&above);
    if (rc == 0 && cgroup_set_limits(g, s) != 0) {
        rc = report_errno(r, "the limits of the control group %s cannot be set",
                          g->folder[0]);
        (void)cgroup_remove(g);
    }
    return rc;
}

int
cgroup_entries(const struct cgroup_place *g, int fd[CGROUP_TREES], struct report *r)
{
    fd[0] = fd[1] = -1;
    for (int i = 0; i < CGROUP_TREES && g->folder[i] != NULL; i++) {
        char *path = xasprintf("%s/cgroup.procs", g->folder[i]);

        fd[i] = open(path, O_WRONLY | O_CLOEXEC);
        if (fd[i] < 0)
            report_errno(r, "%s cannot be opened", path);
        free(path);
        if (fd[i] < 0) {
            if (fd[0] >= 0)
                close(fd[0]);
            return -1;
        }
    }
    return 0;
}

bool
cgroup_out_of_memory(const struct cgroup_place *g)
{
    if (g->version == 0)
        return false;
    if (g->version ==
        2) /* oom_kill also counts those that the machine's lack has killed */
        return cgroup_read_count(g->folder[0], "memory.events", "oom_kill") > 0 &&
               cgroup_read_count(g->folder[0], "memory.events", "oom") > 0;
    return cgroup_read_count(g->folder[0], "memory.oom_control", "oom_kill") > 0 &&
           cgroup_read_number(g->folder[0], "memory.max_usage_in_bytes") + CHARGE_BYTES >=
               cgroup_read_number(g->folder[0], "memory.limit_in_bytes");
}

/* Version 2 kills a group at once (since Linux 5.14). Otherwise we kill each process that
 * is in it now; the next try kills those that were made meanwhile. */
static void
cgroup_kill_all(const char *folder)
{
    char *text;

    if (cgroup_write(folder, "cgroup.kill", "1") == 0)
        return;
    text = cgroup_read(folder, "cgroup.procs");
    for (char *at = text, *end; at != NULL && *at != '\0'; at = end) {
        const long pid = strtol(at, &end, 10);

        if (end == at)
            break;
        if (pid > 1)
            (void)kill((pid_t)pid, SIGKILL);
        end += strspn(end, "\n");
    }
    free(text);
}

static bool
cgroup_remove_folder(const char *folder, int tries)
{
    const struct timespec step = {.tv_nsec = REMOVE_STEP_NS};

    for (int i = 0; i < tries; i++) {
        if (rmdir(folder) == 0 || errno == ENOENT)
            return true;
        if (errno != EBUSY)
            return false;
        cgroup_kill_all(folder);
        (void)nanosleep(&step, NULL);
    }
    return false;
}

bool
cgroup_remove(struct cgroup_place *g)
{
    bool gone = true;

    for (int i = 0; i < CGROUP_TREES && g->folder[i] != NULL; i++)
        gone = cgroup_remove_folder(g->folder[i], REMOVE_TRIES) && gone;
    cgroup_place_free(g);
    return gone;
}

/* --- all of them ----------------------------------------------------------- */

/* The pid with which a group's name goes on after prefix, or 0 if the name is no such
 * one. */
static pid_t
cgroup_owner(const char *name, const char *prefix)
{
    const size_t len = strlen(prefix);
    char *end;
    long pid;

    if (strncmp(name, prefix, len) != 0)
        return 0;
    pid = strtol(name + len, &end, 10);
    return end > name + len && (*end == '\0' || *end == '-') && pid > 0 ? (pid_t)pid : 0;
}

static bool
process_is_gone(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

/* Removes the groups in folder whose owner is gone, or with `all` every group in it. With
 * `below` it first removes the groups inside them: their owners were the owner's children
 * and are gone too, or soon will be. Returns how many groups should be gone but are not.
 */
static int
cgroups_sweep_folder(const char *folder, const char *prefix, bool below, bool all)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    int left = 0;

    while (dir != NULL && (e = readdir(dir)) != NULL) {
        const pid_t owner = cgroup_owner(e->d_name, prefix);
        char *path;

        if (owner == 0 || (!all && !process_is_gone(owner)))
            continue;
        path = xasprintf("%s/%s", folder, e->d_name);
        if (below)
            (void)cgroups_sweep_folder(path, "", false, true);
        left += !cgroup_remove_folder(path, SWEEP_TRIES);
        free(path);
    }
    if (dir != NULL)
        closedir(dir);
    return left;
}

int
cgroups_begin(struct report *why)
{
    struct cgroup_place own, home;
    char *name = xasprintf(HOME "%d", (int)getpid());
    char *value;
    int rc = cgroup_find("", &own, why);

    (void)unsetenv(VARIABLE);
    if (rc == 0) {
        for (int i = 0; i < CGROUP_TREES && own.folder[i] != NULL; i++)
            (void)cgroups_sweep_folder(own.folder[i], HOME, true, false);
        rc = cgroup_make_folders(&own, name, &home, why);
        cgroup_place_free(&own);
    }
    free(name);
    if (rc != 0)
        return -1;
    if (home.version == 2 &&
        cgroup_write(home.folder[0], "cgroup.subtree_control", "+memory +pids") != 0) {
        report_errno(why, "%s gets no controllers", home.folder[0]);
        (void)cgroup_remove(&home);
        return -1;
    }
    value = xasprintf("%d:%s%s%s", home.version, home.folder[0],
                      home.folder[1] != NULL ? ":" : "",
                      home.folder[1] != NULL ? home.folder[1] : "");
    rc = setenv(VARIABLE, value, 1);
    free(value);
    cgroup_place_free(&home);
    return rc == 0 ? 0 : report_errno(why, VARIABLE " cannot be set");
}

int
cgroups_sweep(void)
{
    struct cgroup_place home;
    int left = 0;

    if (!cgroups_prepared(&home))
        return 0;
    for (int i = 0; i < CGROUP_TREES && home.folder[i] != NULL; i++)
        left += cgroups_sweep_folder(home.folder[i], "", false, false);
    cgroup_place_free(&home);
    return left;
}

void
cgroups_end(void)
{
    struct cgroup_place home;

    (void)cgroups_sweep();
    if (cgroups_prepared(&home))
        (void)cgroup_remove(&home);
    (void)unsetenv(VARIABLE);
}

const char *
cgroups_name(void)
{
    struct cgroup_place home;
    const char *name = "resource limits";

    if (cgroups_prepared(&home))
        name = home.version == 2 ? "control groups (v2)" : "control groups (v1)";
    cgroup_place_free(&home);
    return name;
}
