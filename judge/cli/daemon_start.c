/*
 * Two commands may find no daemon at the same moment. The one that starts a daemon holds
 * a lock until the daemon is ready; the other then finds it running. The lock is flock()
 * on the folder itself, so that no file is left behind. The daemon says that it is ready
 * with one line on its standard output, which is a pipe of ours. If the pipe ends without
 * that line, the daemon has died.
 */
#include "cli/daemon_start.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_TIMEOUT_MS 90000 /* a cold GPU driver takes long to start */
#define IDLE_EXIT_SECONDS "600"
#define LOG_BYTES_MAX (4 << 20)
#define LOG_TAIL_BYTES 1024

static bool
somebody_listens(const char *socket_path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    bool answers = false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return false;
    if (strlen(socket_path) < sizeof address.sun_path) {
        memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
        answers = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    }
    close(fd);
    return answers;
}

/* Opens the log for appending. A large one is renamed first, over the one that was
 * renamed before. */
static int
open_log(const char *path, off_t *start, struct report *r)
{
    struct stat st;
    int fd;

    if (stat(path, &st) == 0 && st.st_size > LOG_BYTES_MAX) {
        char *old = xasprintf("%s.old", path);

        if (rename(path, old) != 0)
            report_errno(r, "the log %s cannot be put aside", path);
        free(old);
        if (report_is_set(r))
            return -1;
    }
    /* The link for the first admin may be in it. */
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &st) != 0 ||
        ((st.st_mode & 0077) != 0 && fchmod(fd, 0600) != 0)) {
        report_errno(r, "the judge's log %s cannot be written", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *start = st.st_size;
    return fd;
}

/* Makes a folder in the environment absolute. A relative one starts at the user's folder,
 * which the daemon leaves. */
static void
make_absolute(const char *variable)
{
    const char *value = getenv(variable);
    char *real = value != NULL && value[0] != '\0' ? realpath(value, NULL) : NULL;

    if (real != NULL)
        setenv(variable, real, 1);
    free(real);
}

/* Becomes the daemon, after fork. Failures go into the log. */
static void
become_daemon(const struct config *c, const char *program, int ready, int log)
{
    sigset_t none;
    int null = open("/dev/null", O_RDONLY);

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    make_absolute("WARPJUDGE_PROBLEMS");
    make_absolute("WARPJUDGE_NVCC");
    if (null < 0 || dup2(null, 0) < 0 || dup2(ready, 1) < 0 || dup2(log, 2) < 0 ||
        setenv("WARPJUDGE_HOME", c->home, 1) != 0 || chdir(c->home) != 0)
        _exit(127);
    /* The daemon must not hold for ten minutes what the shell or libcurl has left open.
     */
    closefrom(3);
    execl(program, program, "--idle-exit", IDLE_EXIT_SECONDS, (char *)NULL);
    dprintf(2, "%s cannot be run: %s\n", program, strerror(errno));
    _exit(127);
}

/* The last line of the log behind `start`, without its newline, for a message. */
static void
log_last_line(const char *path, off_t start, char out[LOG_TAIL_BYTES])
{
    struct stat st;
    ssize_t len = 0;
    char *line;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    out[0] = '\0';
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0) {
        off_t from = st.st_size - (LOG_TAIL_BYTES - 1);

        len = pread(fd, out, LOG_TAIL_BYTES - 1, from > start ? from : start);
    }
    close(fd);
    len = len > 0 ? len : 0;
    while (len > 0 && out[len - 1] == '\n')
        len--;
    out[len] = '\0';
    line = strrchr(out, '\n');
    line = line != NULL ? line + 1 : out;
    if (strncmp(line, "warpjudged: ", 12) == 0)
        line += 12;
    memmove(out, line, strlen(line) + 1);
}

/* Waits for the ready line. -1 where the pipe's other end is closed, or where time is
 * up. */
static int
wait_ready(int fd, bool *timed_out)
{
    uint64_t deadline_ns = now_ns() + READY_TIMEOUT_MS * UINT64_C(1000000);
    char text[1024];
    size_t used = 0;

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        uint64_t now = now_ns();
        ssize_t n;

        *timed_out = now >= deadline_ns;
        if (*timed_out)
            return -1;
        if (poll(&p, 1, (int)((deadline_ns - now) / 1000000) + 1) <= 0)
            continue;
        n = read(fd, text + used, sizeof text - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        used += (size_t)n;
        text[used] = '\0';
        if (strchr(text, '\n') != NULL)
            return strstr(text, "\"ready\"") != NULL ? 0 : -1;
    }
}

static int
daemon_spawn(const struct config *c, struct report *r)
{
    char *path = xasprintf("%s/warpjudge.log", c->home);
    char *program = config_libexec(c, "warpjudged");
    char line[LOG_TAIL_BYTES];
    bool timed_out = false;
    off_t log_start = 0;
    int ready[2] = {-1, -1};
    int rc = -1;
    pid_t pid;
    int log = open_log(path, &log_start, r);

    if (log < 0)
        goto out;
    if (pipe2(ready, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
        report_errno(r, "the judge's daemon cannot be started");
        goto out;
    }
    if (pid == 0)
        become_daemon(c, program, ready[1], log);
    close(ready[1]);
    ready[1] = -1;
    rc = wait_ready(ready[0], &timed_out);
    if (rc == 0)
        goto out;
    if (timed_out)
        kill(pid, SIGTERM);
    else
        waitpid(pid, NULL, 0);
    log_last_line(path, log_start, line);
    if (timed_out)
        report_fail(r, "the judge's daemon was not ready after %d s: see %s",
                    READY_TIMEOUT_MS / 1000, path);
    else
        report_fail(r, "the judge's daemon does not start: %s (its log is %s)",
                    line[0] != '\0' ? line : "it ended without a word", path);
out:
    for (int i = 0; i < 2; i++)
        if (ready[i] >= 0)
            close(ready[i]);
    if (log >= 0)
        close(log);
    free(program);
    free(path);
    return rc;
}

int
daemon_start(const struct config *c, struct report *r)
{
    int lock;
    int rc = 0;

    if (file_mkdirs(c->home, r) != 0)
        return -1;
    lock = open(c->home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return report_errno(r, "the folder %s cannot be opened", c->home);
    while ((rc = flock(lock, LOCK_EX)) != 0 && errno == EINTR)
        ;
    if (rc != 0)
        report_errno(r, "the folder %s cannot be locked", c->home);
    else if (!somebody_listens(c->socket))
        rc = daemon_spawn(c, r);
    close(lock);
    return rc;
}
