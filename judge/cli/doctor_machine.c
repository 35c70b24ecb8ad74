/* What `doctor` says of folders, limits, ports and clocks. */
#include "cli/doctor.h"

#include "base/buf.h"
#include "base/file.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)
#define DISK_LEAST_MIB 512u
#define DISK_GOOD_MIB 8192u
#define INODES_LEAST 10000u
#define MEMORY_GOOD_MIB 4096u
#define FILES_GOOD 4608u /* then the daemon may have all its connections */

/* The first of a path's folders that is there. The caller frees. */
static char *
existing_folder(const char *path)
{
    char *folder = xstrdup(path);

    while (access(folder, F_OK) != 0) {
        char *slash = strrchr(folder, '/');

        if (slash == NULL || slash == folder) {
            free(folder);
            return xstrdup("/");
        }
        *slash = '\0';
    }
    return folder;
}

void
doctor_home(struct cli *cli, struct finding *f)
{
    const struct config *c = &cli->config;
    char *folder = existing_folder(c->home);

    if (access(folder, W_OK | X_OK) != 0)
        finding_set(f, DOCTOR_PROBLEM,
                    "this user may not write in %s: give it the folder, or set "
                    "WARPJUDGE_HOME to another",
                    folder);
    else if (access(c->database, F_OK) == 0 && access(c->database, R_OK | W_OK) != 0)
        finding_set(f, DOCTOR_PROBLEM,
                    "this user may not write %s: run the daemon as the file's owner",
                    c->database);
    else
        finding_set(f, DOCTOR_OK, "%s%s", c->home,
                    strcmp(folder, c->home) == 0 ? "" : ", which will be made");
    free(folder);
}

void
doctor_disk(struct cli *cli, struct finding *f)
{
    char *folder = existing_folder(cli->config.home);
    struct statvfs st;
    uint64_t free_mib;

    if (statvfs(folder, &st) != 0) {
        finding_set(f, DOCTOR_PROBLEM, "the space in %s is not known: %s", folder,
                    strerror(errno));
        free(folder);
        return;
    }
    free_mib = st.f_bavail * st.f_frsize / MIB;
    if (free_mib < DISK_LEAST_MIB)
        finding_set(f, DOCTOR_PROBLEM,
                    "%ju MiB are free in %s, and judging needs %u: free some space, or "
                    "set WARPJUDGE_HOME to a folder on another disk",
                    (uintmax_t)free_mib, folder, DISK_LEAST_MIB);
    else if (st.f_files > 0 && st.f_favail < INODES_LEAST)
        finding_set(f, DOCTOR_PROBLEM,
                    "only %ju more files may be made in %s: remove some",
                    (uintmax_t)st.f_favail, folder);
    else if (free_mib < DISK_GOOD_MIB)
        finding_set(f, DOCTOR_WARNING,
                    "%ju MiB are free in %s: %u are better for many users",
                    (uintmax_t)free_mib, folder, DISK_GOOD_MIB);
    else
        finding_set(f, DOCTOR_OK, "%ju MiB are free in %s", (uintmax_t)free_mib, folder);
    free(folder);
}

void
doctor_memory(struct cli *cli, struct finding *f)
{
    const uint64_t mib =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / MIB;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    (void)cli;
    if (mib < MEMORY_GOOD_MIB)
        finding_set(f, DOCTOR_WARNING,
                    "%ju MiB: some problems need more than that; %u are better",
                    (uintmax_t)mib, MEMORY_GOOD_MIB);
    else
        finding_set(f, DOCTOR_OK, "%ju MiB, %ld CPUs", (uintmax_t)mib, cpus);
}

/* Tries to bind a socket to an address. Returns 0 or an errno. */
static int
port_try(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    int error = 0;

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, 1) != 0)
        error = errno;
    if (fd >= 0)
        close(fd);
    return error;
}

void
doctor_port(struct cli *cli, struct finding *f)
{
    const char *where = cli->args.flag[FLAG_LISTEN];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    char *host = xstrdup(where != NULL ? where : "127.0.0.1:8080");
    char *colon = strrchr(host, ':'), *name = host;
    int rc, error;

    where = where != NULL ? where : "127.0.0.1:8080";
    if (colon == NULL) {
        finding_set(f, DOCTOR_PROBLEM,
                    "--listen %s: it must be HOST:PORT, as in 127.0.0.1:8080", where);
        free(host);
        return;
    }
    *colon = '\0';
    if (name[0] == '[' && colon[-1] == ']') {
        colon[-1] = '\0';
        name++;
    }
    rc = getaddrinfo(name[0] != '\0' ? name : NULL, colon + 1, &hints, &list);
    error = rc == 0 ? port_try(list) : 0;
    if (rc != 0)
        finding_set(f, DOCTOR_PROBLEM, "--listen %s: %s", where, gai_strerror(rc));
    else if (error == EADDRINUSE)
        finding_set(f,
                    cli->args.flag[FLAG_LISTEN] != NULL ? DOCTOR_PROBLEM : DOCTOR_WARNING,
                    "%s is in use, by a running judge or another program: `serve "
                    "--listen` needs another port then",
                    where);
    else if (error == EACCES)
        finding_set(f, DOCTOR_PROBLEM,
                    "this user may not have %s: take a port of 1024 or more, and put a "
                    "proxy in front",
                    where);
    else if (error != 0)
        finding_set(f, DOCTOR_PROBLEM, "%s cannot be listened on: %s", where,
                    strerror(error));
    else
        finding_set(f, DOCTOR_OK, "%s is free", where);
    if (rc == 0)
        freeaddrinfo(list);
    free(host);
}

void
doctor_open_files(struct cli *cli, struct finding *f)
{
    struct rlimit limit;
    struct report r = {0};

    (void)cli;
    if (sandbox_probe_limits(&r) != 0) {
        finding_set(f, DOCTOR_PROBLEM, "%s", r.text);
        return;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        finding_set(f, DOCTOR_WARNING, "the limit is not known: %s", strerror(errno));
    else if (limit.rlim_max < FILES_GOOD)
        finding_set(f, DOCTOR_WARNING,
                    "%ju may be open, which makes for fewer connections: raise the hard "
                    "limit to %u (ulimit -Hn, or LimitNOFILE= in a unit)",
                    (uintmax_t)limit.rlim_max, FILES_GOOD);
    else
        finding_set(f, DOCTOR_OK, "%ju may be open", (uintmax_t)limit.rlim_max);
}

void
doctor_clock_source(struct cli *cli, struct finding *f)
{
    static const char path[] =
        "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    /* Those that a program reads without a system call. */
    static const char *const quick[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
                                        "arch_sys_counter"};
    struct buf name = {0};

    (void)cli;
    if (file_read(path, 256, &name, NULL) != 0) {
        finding_set(f, DOCTOR_WARNING, "%s cannot be read: mount /sys", path);
        return;
    }
    finding_set(f, DOCTOR_WARNING,
                "%.*s, which is slow to read, so that times on a GPU are less exact: "
                "start the kernel with clocksource=tsc if the CPU can",
                (int)strcspn(buf_str(&name), "\n"), buf_str(&name));
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        if (strncmp(buf_str(&name), quick[i], strlen(quick[i])) == 0)
            finding_set(f, DOCTOR_OK, "%s", quick[i]);
    buf_free(&name);
}
