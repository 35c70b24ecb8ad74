#include "sandbox/usage_tree.h"

#include "base/buf.h"
#include "sandbox/proc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process {
    pid_t pid, parent;
    char state;
    uint64_t ticks; /* of its own, and of children that it has waited for */
    bool below;     /* it is of the tree */
};

/* proc(5), /proc/PID/stat: fields 14 to 17 are utime, stime, cutime and cstime. */
static bool
read_process(int proc, const char *name, struct process *out)
{
    char path[40], text[1024];
    char *at;

    out->pid = (pid_t)strtol(name, NULL, 10);
    snprintf(path, sizeof path, "%.20s/stat", name);
    if (out->pid <= 0 || proc_read(proc, path, text, sizeof text) < 0)
        return false;
    at = strrchr(text, ')');
    if (at == NULL || strlen(at) < strlen(") S 1"))
        return false;
    out->state = at[2];
    at += 4;
    out->parent = (pid_t)strtol(at, &at, 10);
    for (int field = 5; field < 14; field++)
        (void)strtoll(at, &at, 10);
    for (int field = 14; field < 18; field++)
        out->ticks += strtoull(at, &at, 10);
    return true;
}

static struct process *
read_all(int *count)
{
    DIR *proc = opendir("/proc");
    struct process *all = NULL;
    const struct dirent *e;

    *count = 0;
    while (proc != NULL && (e = readdir(proc)) != NULL) {
        struct process p = {0};

        if (!read_process(dirfd(proc), e->d_name, &p))
            continue;
        if (*count % 64 == 0)
            all = xrealloc(all, ((size_t)*count + 64) * sizeof *all);
        all[(*count)++] = p;
    }
    if (proc != NULL)
        closedir(proc);
    return all;
}

static bool
is_below(const struct process *all, int count, pid_t pid)
{
    for (int i = 0; i < count; i++)
        if (all[i].pid == pid)
            return all[i].below;
    return false;
}

/* Parents may stand behind their children. */
static void
mark_tree(struct process *all, int count, pid_t root)
{
    bool more = true;

    for (int i = 0; i < count; i++)
        all[i].below = all[i].pid == root;
    while (more) {
        more = false;
        for (int i = 0; i < count; i++)
            if (!all[i].below && is_below(all, count, all[i].parent))
                all[i].below = more = true;
    }
}

void
usage_tree_look(struct usage_tree *t, pid_t root, uint64_t now_ns)
{
    const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    bool asleep = true, any = false;
    struct process *all;
    uint64_t cpu_ns = 0;
    int count;

    all = read_all(&count);
    mark_tree(all, count, root);
    for (int i = 0; i < count; i++) {
        if (!all[i].below)
            continue;
        any = true;
        asleep = asleep && all[i].state != 'R' && all[i].state != 'D';
        cpu_ns += all[i].ticks * tick_ns;
    }
    free(all);
    if (t->looked_ns != 0 && any && asleep && t->asleep && cpu_ns == t->cpu_ns)
        t->slept_ns += now_ns - t->looked_ns;
    if (cpu_ns > t->cpu_ns)
        t->cpu_ns = cpu_ns;
    t->looked_ns = now_ns;
    t->asleep = any && asleep;
}
