/*
 * Finds where control groups may be made (cgroups(7)). /proc/self/mountinfo names the
 * trees, and /proc/self/cgroup our own group in each.
 *
 * In version 2 a group that has processes of its own gives its children no controllers.
 * If we are alone in ours, we move down into a group beside the sandboxes' groups. If it
 * holds other processes too, we leave it alone, because they are not ours to move.
 */
#include "sandbox/cgroup_place.h"

#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OURSELVES "warpjudge-self"

/* Is word one of the comma-separated words of list? */
static bool
has_word(const char *list, const char *word)
{
    const size_t len = strlen(word);

    while (*list != '\0') {
        const size_t n = strcspn(list, ",\n ");

        if (n == len && strncmp(list, word, n) == 0)
            return true;
        list += n;
        list += strspn(list, ",\n ");
    }
    return false;
}

/* Our group in the tree of this controller, as the kernel writes it. The controller "" is
 * version 2. The caller frees. */
static char *
own_path(const char *root, const char *controller)
{
    char *name = xasprintf("%s/proc/self/cgroup", root);
    FILE *f = fopen(name, "re");
    char *line = NULL, *found = NULL;
    size_t cap = 0;

    while (f != NULL && found == NULL && getline(&line, &cap, f) > 0) {
        char *list = strchr(line, ':'),
             *path = list != NULL ? strchr(list + 1, ':') : NULL;

        if (path == NULL)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (controller[0] == '\0' ? list[1] == '\0' : has_word(list + 1, controller))
            found = xstrdup(path);
    }
    if (f != NULL)
        fclose(f);
    free(line);
    free(name);
    return found;
}

/* Reads one line of mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS ... - TYPE SOURCE
 * OPTIONS. A name with blanks would be written with \040; no cgroup tree has such a name.
 */
static bool
is_tree(char *line, const char *controller, char **point, char **top)
{
    char type[32] = "", options[256] = "", at[256] = "", under[256] = "";
    char *rest = strstr(line, " - ");

    if (rest == NULL || sscanf(line, "%*s %*s %*s %255s %255s", under, at) != 2 ||
        sscanf(rest, " - %31s %*s %255s", type, options) != 2)
        return false;
    if (controller[0] == '\0'
            ? strcmp(type, "cgroup2") != 0
            : strcmp(type, "cgroup") != 0 || !has_word(options, controller))
        return false;
    *point = xstrdup(at);
    *top = xstrdup(under);
    return true;
}

/* Our group's folder in the tree of this controller, or NULL if there is none that we may
 * write to. The caller frees. */
static char *
own_folder(const char *root, const char *controller)
{
    char *name = xasprintf("%s/proc/self/mountinfo", root);
    char *own = own_path(root, controller), *point = NULL, *top = NULL;
    FILE *f = fopen(name, "re");
    char *line = NULL, *folder = NULL;
    size_t cap = 0;

    while (f != NULL && own != NULL && point == NULL && getline(&line, &cap, f) > 0)
        (void)is_tree(line, controller, &point, &top);
    if (point != NULL) {
        const size_t skip = strcmp(top, "/") == 0 ? 0 : strlen(top);

        if (strncmp(own, top, skip) == 0)
            folder = xasprintf("%s%s%s", root, point,
                               strcmp(own + skip, "/") == 0 ? "" : own + skip);
        if (folder != NULL && access(folder, W_OK) != 0) {
            free(folder);
            folder = NULL;
        }
    }
    if (f != NULL)
        fclose(f);
    free(line);
    free(name);
    free(own);
    free(point);
    free(top);
    return folder;
}

/* --- version 2 ------------------------------------------------------------- */

static bool
has_controllers(const char *folder)
{
    char *text = cgroup_read(folder, "cgroup.controllers");
    bool both = text != NULL && has_word(text, "memory") && has_word(text, "pids");

    free(text);
    return both;
}

static int
give_down(const char *folder)
{
    return cgroup_write(folder, "cgroup.subtree_control", "+memory +pids");
}

/* Are we the only process in this group? (Our other threads do not count.) */
static bool
alone_in(const char *folder)
{
    char *text = cgroup_read(folder, "cgroup.procs");
    char *end = text;
    bool alone =
        text != NULL && strtol(text, &end, 10) == getpid() && strcmp(end, "\n") == 0;

    free(text);
    return alone;
}

static int
move_down(const char *folder)
{
    char *below = xasprintf("%s/" OURSELVES, folder);
    int rc = mkdir(below, 0755) == 0 || errno == EEXIST
                 ? cgroup_write(below, "cgroup.procs", "0")
                 : -1;

    free(below);
    return rc;
}

static int
find_v2(const char *root, struct cgroup_place *out, struct report *why)
{
    char *folder = own_folder(root, "");

    if (folder == NULL || !has_controllers(folder)) {
        free(folder);
        return report_fail(why,
                           "no group here that we may divide has the controllers memory "
                           "and pids");
    }
    if (give_down(folder) != 0 &&
        (!alone_in(folder) || move_down(folder) != 0 || give_down(folder) != 0)) {
        report_fail(
            why,
            "%s holds other processes, so that its children get no controllers: start "
            "the daemon in a group of its own, as systemd-run --user --scope -p "
            "Delegate=yes does",
            folder);
        free(folder);
        return -1;
    }
    *out = (struct cgroup_place){.version = 2, .folder = {folder}};
    return 0;
}

/* --- both ------------------------------------------------------------------ */

int
cgroup_find(const char *root, struct cgroup_place *out, struct report *why)
{
    char *memory = own_folder(root, "memory"), *pids = own_folder(root, "pids");

    if (memory != NULL && pids != NULL) {
        *out = (struct cgroup_place){.version = 1, .folder = {memory, pids}};
        return 0;
    }
    free(memory);
    free(pids);
    return find_v2(root, out, why);
}

void
cgroup_place_free(struct cgroup_place *p)
{
    for (int i = 0; i < CGROUP_TREES; i++)
        free(p->folder[i]);
    *p = (struct cgroup_place){0};
}
