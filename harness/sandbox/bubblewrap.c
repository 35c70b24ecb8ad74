/*
 * bubblewrap's command line. The root is an empty tmpfs, read-only, and these are bound
 * into it: the system's programs and libraries (read-only), a /tmp of limited size, and
 * what the caller names. Unless the sandbox is bare, it also gets a /proc of its own pid
 * namespace and a /dev of a few nodes. The sandbox has no home and none of our files. Of
 * /etc it has only the linker's cache and Debian's alternatives.
 */
#include "sandbox/bubblewrap.h"
#include "sandbox/driver_folder.h"

#include "base/buf.h"

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
bwrap_add2(struct argv *a, const char *option, const char *value)
{
    argv_add(a, option);
    argv_add(a, value);
}

static void
bwrap_add3(struct argv *a, const char *option, const char *from, const char *to)
{
    bwrap_add2(a, option, from);
    argv_add(a, to);
}

static void
bwrap_add_number(struct argv *a, const char *option, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%ju", (uintmax_t)value);
    bwrap_add2(a, option, text);
}

/* Our distribution brings a bubblewrap with it, because servers with a GPU often have
 * none. */
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
bwrap_add_system(struct argv *a)
{
    /* On systems with a merged /usr these are links into /usr; elsewhere they are
     * folders. */
    static const char *const top[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64"};

    bwrap_add3(a, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof top / sizeof *top; i++) {
        char target[PATH_MAX];
        ssize_t len = readlink(top[i], target, sizeof target - 1);

        if (len > 0) {
            target[len] = '\0';
            bwrap_add3(a, "--symlink", target, top[i]);
        } else {
            bwrap_add3(a, "--ro-bind-try", top[i], top[i]);
        }
    }
    bwrap_add3(a, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives");
    bwrap_add3(a, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache");
}

/* Makes /proc read-only, except its root and the folders of the processes. libcuda itself
 * writes the names of its threads to /proc/self/task/TID/comm, and makes no context where
 * it cannot. These folders are not there yet while bubblewrap mounts, so the root stays
 * writable, too. Only the sandbox's own user then keeps a program from changing the root.
 * The links in /proc (net, mounts) lead into the processes' folders. */
static void
cover_proc(struct argv *a)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;

    if (folder == NULL) { /* better no CUDA than a writable /proc */
        bwrap_add2(a, "--remount-ro", "/proc");
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        char *path = xasprintf("/proc/%s", entry->d_name);
        struct stat st;

        if (entry->d_name[0] != '.' && !isdigit((unsigned char)entry->d_name[0]) &&
            lstat(path, &st) == 0 &&
            (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && (st.st_mode & 0222) != 0)))
            bwrap_add3(a, "--ro-bind-try", path, path);
        free(path);
    }
    closedir(folder);
}

/* Covers a file or folder of /proc where the sandbox's user could read it: what only root
 * reads is open to a sandbox that runs as root. Each cover takes time at the start. */
static void
bwrap_cover(struct argv *a, const char *name, bool as_root)
{
    char *path = xasprintf("/proc/%s", name);
    struct stat st;

    if (lstat(path, &st) == 0 && (as_root || (st.st_mode & S_IROTH) != 0)) {
        if (S_ISDIR(st.st_mode)) {
            bwrap_add2(a, "--tmpfs", path);
            bwrap_add2(a, "--remount-ro", path);
        } else {
            bwrap_add3(a, "--ro-bind", "/dev/null", path);
        }
    }
    free(path);
}

/* Covers what /proc tells of the whole machine, and programs do not need: keys, locks,
 * interrupts, memory and disks. */
static void
bwrap_mask_proc(struct argv *a, bool as_root)
{
    static const char *const names[] = {
        "allocinfo",   "buddyinfo",  "cmdline",      "diskstats",   "fs",
        "interrupts",  "key-users",  "keys",         "kpagecgroup", "kpagecount",
        "kpageflags",  "locks",      "pagetypeinfo", "partitions",  "pressure",
        "sched_debug", "schedstat",  "scsi",         "slabinfo",    "softirqs",
        "swaps",       "timer_list", "vmallocinfo",  "vmstat",      "zoneinfo"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        bwrap_cover(a, names[i], as_root);
}

/* Of bubblewrap's own --dev it lacks the terminals: /dev/tty, /dev/pts and /dev/ptmx. */
static void
bwrap_add_dev(struct argv *a)
{
    static const char *const nodes[] = {"/dev/null", "/dev/zero", "/dev/full",
                                        "/dev/random", "/dev/urandom"};
    static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                           {"/proc/self/fd/0", "/dev/stdin"},
                                           {"/proc/self/fd/1", "/dev/stdout"},
                                           {"/proc/self/fd/2", "/dev/stderr"}};

    bwrap_add2(a, "--tmpfs", "/dev");
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        bwrap_add3(a, "--dev-bind", nodes[i], nodes[i]);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        bwrap_add3(a, "--symlink", links[i][0], links[i][1]);
}

/* A compiler needs no /proc and no device but /dev/null. A source that includes /dev/zero
 * or the tool's own output pipe would be read for ever. /proc/self/mountinfo would tell
 * paths of the host.
 *
 * bubblewrap's own /dev and / are writable tmpfs without a size. Only /dev/shm and /tmp,
 * which have one, stay writable. */
static void
bwrap_add_kernel_files(struct argv *a, const struct sandbox *s, bool as_root,
                       uint64_t tmp_bytes)
{
    if (s->bare) {
        bwrap_add3(a, "--dev-bind", "/dev/null", "/dev/null");
        return;
    }
    /* When root runs the sandbox as its own user, /proc takes that for the machine's
     * root: it lacks the capabilities, but may write root's files. All of /proc/sys is
     * then writable, core_pattern included. bubblewrap covers only what access(2) calls
     * writable, which a folder of /proc/sys never is.
     *
     * Process 1 is bubblewrap itself, which runs without the filter. So its memory and
     * its descriptors must be out of reach. */
    bwrap_add2(a, "--proc", "/proc");
    bwrap_add2(a, "--tmpfs", "/proc/1");
    bwrap_add2(a, "--remount-ro", "/proc/1");
    bwrap_mask_proc(a, as_root);
    if (s->gpu != NULL)
        cover_proc(a);
    else
        bwrap_add2(a, "--remount-ro", "/proc");
    bwrap_add_dev(a);
    bwrap_add_number(a, "--size", tmp_bytes);
    bwrap_add2(a, "--tmpfs", "/dev/shm");
}

static void
bwrap_add_gpu(struct argv *a, const struct sandbox *s, struct argv *env)
{
    char *folder = driver_folder();

    for (const char *const *node = s->gpu; *node != NULL; node++)
        bwrap_add3(a, "--dev-bind", *node, *node);
    /* In these folders libcuda reads where the GPU is in the machine: its NUMA node and
     * its PCI functions. */
    bwrap_add3(a, "--ro-bind-try", "/sys/bus/pci", "/sys/bus/pci");
    bwrap_add3(a, "--ro-bind-try", "/sys/devices", "/sys/devices");
    if (folder != NULL) {
        char *variable = xasprintf("LD_LIBRARY_PATH=%s", folder);

        if (strncmp(folder, "/usr/", 5) != 0)
            bwrap_add3(a, "--ro-bind", folder, folder);
        argv_add(env, variable);
        free(variable);
    }
    free(folder);
}

void
bwrap_args(const struct sandbox *s, const char *bwrap, bool own_namespace,
           struct argv *argv, struct argv *env)
{
    static const char *const fixed[] = {
        "--unshare-pid",        "--unshare-net",     "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup-try", "--die-with-parent", "--new-session",
    };
    uint64_t tmp_bytes = s->tmp_bytes != 0 ? s->tmp_bytes : TMP_BYTES_DEFAULT;

    for (const char *const *e = s->env; e != NULL && *e != NULL; e++)
        argv_add(env, *e);
    argv_add(argv, bwrap);
    if (own_namespace)
        argv_add(argv, "--unshare-user");
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv_add(argv, fixed[i]);
    bwrap_add2(argv, "--cap-drop", "ALL");
    bwrap_add2(argv, "--hostname", "judge");
    bwrap_add_number(argv, "--json-status-fd", BWRAP_STATUS_FD);
    bwrap_add_number(argv, "--block-fd", BWRAP_BLOCK_FD);
    bwrap_add_number(argv, "--seccomp", BWRAP_SECCOMP_FD);
    bwrap_add_system(argv);
    bwrap_add_kernel_files(argv, s, own_namespace && geteuid() == 0, tmp_bytes);
    if (s->gpu != NULL)
        bwrap_add_gpu(argv, s, env);
    if (!s->bare)
        bwrap_add2(argv, "--remount-ro", "/dev");
    bwrap_add_number(argv, "--size", tmp_bytes);
    bwrap_add2(argv, "--tmpfs", "/tmp");
    for (int i = 0; i < s->bind_count; i++)
        bwrap_add3(argv, s->bind[i].writable ? "--bind" : "--ro-bind", s->bind[i].from,
                   s->bind[i].to);
    bwrap_add2(argv, "--remount-ro", "/");
    bwrap_add2(argv, "--chdir", s->chdir != NULL ? s->chdir : "/");
    bwrap_add2(argv, "--", s->program);
    for (const char *const *arg = s->argv + 1; s->argv[0] != NULL && *arg != NULL; arg++)
        argv_add(argv, *arg);
}
