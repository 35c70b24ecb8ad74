/*
 * bubblewrap's command line. The root is an empty read-only tmpfs into which only this is
 * bound: the system's programs and libraries, read-only; a private /proc of the sandbox's
 * own pid namespace and a private /dev (neither where it is bare); a private /tmp of
 * limited size; and what the caller names. No home, no /etc but the linker's cache and
 * Debian's alternatives, nothing of ours.
 */
#include "sandbox/internal.h"

#include "core/buf.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMP_BYTES_DEFAULT ((uint64_t)64 << 20)

void
argv_add(struct argv *a, const char *text)
{
    if (a->count + 2 > a->cap) {
        a->cap = a->cap != 0 ? a->cap * 2 : 128;
        a->v = xrealloc(a->v, (size_t)a->cap * sizeof *a->v);
    }
    a->v[a->count++] = xstrdup(text);
    a->v[a->count] = NULL;
}

void
argv_free(struct argv *a)
{
    for (int i = 0; i < a->count; i++)
        free(a->v[i]);
    free(a->v);
    *a = (struct argv){0};
}

static void
add2(struct argv *a, const char *option, const char *value)
{
    argv_add(a, option);
    argv_add(a, value);
}

static void
add3(struct argv *a, const char *option, const char *from, const char *to)
{
    add2(a, option, from);
    argv_add(a, to);
}

static void
add_number(struct argv *a, const char *option, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%ju", (uintmax_t)value);
    add2(a, option, text);
}

/* A dist brings its own bubblewrap: servers with a GPU often have none. */
char *
bwrap_path(void)
{
    static const char *const bundled[] = {"../libexec/bwrap", "../bin/bwrap"};
    const char *path = getenv("PATH");
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

    if (len > 0) {
        char *slash;

        self[len] = '\0';
        slash = strrchr(self, '/');
        for (size_t i = 0; slash != NULL && i < 2; i++) {
            char *file = xasprintf("%.*s/%s", (int)(slash - self), self, bundled[i]);

            if (access(file, X_OK) == 0)
                return file;
            free(file);
        }
    }
    path = path != NULL ? path : "/usr/bin:/bin";
    while (*path != '\0') {
        size_t dir = strcspn(path, ":");
        char *file = xasprintf("%.*s/bwrap", (int)dir, path);

        if (dir > 0 && access(file, X_OK) == 0)
            return file;
        free(file);
        path += dir;
        if (*path == ':')
            path++;
    }
    return NULL;
}

static void
add_system(struct argv *a)
{
    /* On merged-/usr systems these are links into /usr; elsewhere folders of their own.
     */
    static const char *const top[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64"};

    add3(a, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof top / sizeof *top; i++) {
        char target[PATH_MAX];
        ssize_t len = readlink(top[i], target, sizeof target - 1);

        if (len > 0) {
            target[len] = '\0';
            add3(a, "--symlink", target, top[i]);
        } else {
            add3(a, "--ro-bind-try", top[i], top[i]);
        }
    }
    add3(a, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives");
    add3(a, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache");
}

/* Makes read-only all of /proc but the processes' own folders: libcuda writes its
 * threads' names to /proc/self/task/TID/comm, and makes no context where it cannot. Links
 * lead into those folders (net, mounts). */
static void
cover_proc(struct argv *a)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;

    if (folder == NULL) { /* rather no CUDA than an open /proc */
        add2(a, "--remount-ro", "/proc");
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        char *path = xasprintf("/proc/%s", entry->d_name);
        struct stat st;

        if (entry->d_name[0] != '.' && !isdigit((unsigned char)entry->d_name[0]) &&
            lstat(path, &st) == 0 &&
            (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && (st.st_mode & 0222) != 0)))
            add3(a, "--ro-bind-try", path, path);
        free(path);
    }
    closedir(folder);
}

/* A compiler needs no /proc and no device but /dev/null; a source that includes the
 * others would read for ever (/dev/zero, the tool's own output pipe) or learn paths of
 * the host
 * (/proc/self/mountinfo). bubblewrap's own /dev and / are writable tmpfs without a size:
 * only /dev/shm and /tmp, which have one, stay writable. */
static void
add_kernel_files(struct argv *a, const struct sandbox *s, uint64_t tmp_bytes)
{
    if (s->bare) {
        add3(a, "--dev-bind", "/dev/null", "/dev/null");
        return;
    }
    /* Run by root, the sandbox's user is the machine's root to /proc, without its
     * capabilities but with its files: all of /proc/sys, core_pattern among them, is
     * writable to it, and bubblewrap covers only what access(2) calls writable, which a
     * folder there never is. And process 1, bubblewrap itself, runs without the filter:
     * its memory and descriptors must be out of reach. */
    add2(a, "--proc", "/proc");
    add2(a, "--tmpfs", "/proc/1");
    add2(a, "--remount-ro", "/proc/1");
    if (s->gpu != NULL)
        cover_proc(a);
    else
        add2(a, "--remount-ro", "/proc");
    add2(a, "--dev", "/dev");
    add_number(a, "--size", tmp_bytes);
    add2(a, "--tmpfs", "/dev/shm");
}

static void
add_gpu(struct argv *a, const struct sandbox *s, struct argv *env)
{
    char *folder = driver_folder();

    for (const char *const *node = s->gpu; *node != NULL; node++)
        add3(a, "--dev-bind", *node, *node);
    /* libcuda reads the GPU's place in the machine (NUMA node, PCI functions) there. */
    add3(a, "--ro-bind-try", "/sys/bus/pci", "/sys/bus/pci");
    add3(a, "--ro-bind-try", "/sys/devices", "/sys/devices");
    if (folder != NULL) {
        char *variable = xasprintf("LD_LIBRARY_PATH=%s", folder);

        if (strncmp(folder, "/usr/", 5) != 0)
            add3(a, "--ro-bind", folder, folder);
        argv_add(env, variable);
        free(variable);
    }
    free(folder);
}

void
bwrap_args(const struct sandbox *s, const char *bwrap, struct argv *argv,
           struct argv *env)
{
    static const char *const fixed[] = {
        "--unshare-user", "--unshare-pid",        "--unshare-net",     "--unshare-ipc",
        "--unshare-uts",  "--unshare-cgroup-try", "--die-with-parent", "--new-session",
    };
    uint64_t tmp_bytes = s->tmp_bytes != 0 ? s->tmp_bytes : TMP_BYTES_DEFAULT;

    for (const char *const *e = s->env; e != NULL && *e != NULL; e++)
        argv_add(env, *e);
    argv_add(argv, bwrap);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv_add(argv, fixed[i]);
    add2(argv, "--cap-drop", "ALL");
    add2(argv, "--hostname", "judge");
    add_number(argv, "--json-status-fd", BWRAP_STATUS_FD);
    add_number(argv, "--block-fd", BWRAP_BLOCK_FD);
    add_number(argv, "--seccomp", BWRAP_SECCOMP_FD);
    add_system(argv);
    add_kernel_files(argv, s, tmp_bytes);
    if (s->gpu != NULL)
        add_gpu(argv, s, env);
    if (!s->bare)
        add2(argv, "--remount-ro", "/dev");
    add_number(argv, "--size", tmp_bytes);
    add2(argv, "--tmpfs", "/tmp");
    for (int i = 0; i < s->bind_count; i++)
        add3(argv, s->bind[i].writable ? "--bind" : "--ro-bind", s->bind[i].from,
             s->bind[i].to);
    add2(argv, "--remount-ro", "/");
    add2(argv, "--chdir", s->chdir != NULL ? s->chdir : "/");
    add2(argv, "--", s->program);
    for (const char *const *arg = s->argv + 1; s->argv[0] != NULL && *arg != NULL; arg++)
        argv_add(argv, *arg);
}
