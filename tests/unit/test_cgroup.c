// links: sandbox common folder
/* Control groups: where they are looked for, on folders that stand for a machine's
 * folder; and what they hold, where this machine lets us make them. */
#include "../fixtures/folder.h"

#include "base/buf.h"
#include "base/file.h"
#include "sandbox/cgroup_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)
#define BACKSTOP_MS 600000 /* for what hangs; a busy machine comes nowhere near */

static bool live; /* groups can be made here */

/* What cgroup_find says of folder: "1 /sys/..." or the reason why not. */
static void
expect(const char *wanted)
{
    struct cgroup_place p;
    struct report why = {0};
    struct buf text = {0};
    const size_t skip = strlen(folder);

    if (cgroup_find(folder, &p, &why) == 0) {
        buf_printf(&text, "%d %s", p.version, p.folder[0] + skip);
        if (p.folder[1] != NULL)
            buf_printf(&text, " %s", p.folder[1] + skip);
        cgroup_place_free(&p);
        assert_string_equal(buf_str(&text), wanted);
    } else {
        assert_non_null(strstr(why.text, wanted));
    }
    buf_free(&text);
}

/* Both kinds mounted, controllers in version 1, each with a place of its own. */
static void
version_1(void **state)
{
    (void)state;
    folder_write(
        "proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup "
        "rw,memory\n"
        "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
    folder_write("proc/self/cgroup",
                 "9:name=systemd:/\n8:pids:/\n4:memory:/jobs/a7\n0::/\n");
    folder_write("sys/fs/cgroup/memory/jobs/a7/cgroup.procs", "");
    folder_write("sys/fs/cgroup/pids/cgroup.procs", "");
    folder_write("sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n");
    expect("1 /sys/fs/cgroup/memory/jobs/a7 /sys/fs/cgroup/pids");
}

/* In a container without a cgroup namespace: the path is the host's, what is mounted
 * begins at ours. */
static void
version_1_below_its_top(void **state)
{
    (void)state;
    folder_write(
        "proc/self/mountinfo",
        "35 31 0:32 /docker/c0ffee /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "39 31 0:36 /docker/c0ffee /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
    folder_write("proc/self/cgroup",
                 "8:pids:/docker/c0ffee\n4:memory:/docker/c0ffee/inner\n");
    folder_write("sys/fs/cgroup/memory/inner/cgroup.procs", "");
    folder_write("sys/fs/cgroup/pids/cgroup.procs", "");
    expect("1 /sys/fs/cgroup/memory/inner /sys/fs/cgroup/pids");
}

static void
put_version_2(const char *procs)
{
    folder_write("proc/self/mountinfo",
                 "35 31 0:32 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
    folder_write("proc/self/cgroup", "0::/user.slice/judge.scope\n");
    folder_write("sys/fs/cgroup/user.slice/judge.scope/cgroup.controllers",
                 "cpu memory pids\n");
    folder_write("sys/fs/cgroup/user.slice/judge.scope/cgroup.procs", procs);
}

static void
version_2(void **state)
{
    (void)state;
    put_version_2("");
    folder_write("sys/fs/cgroup/user.slice/judge.scope/cgroup.subtree_control", "");
    expect("2 /sys/fs/cgroup/user.slice/judge.scope");
}

/* subtree_control refuses (here: is not there) while others are in the group. */
static void
version_2_among_others(void **state)
{
    (void)state;
    put_version_2("1\n42\n");
    expect("holds other processes");
}

static void
version_2_without_controllers(void **state)
{
    (void)state;
    put_version_2("");
    folder_write("sys/fs/cgroup/user.slice/judge.scope/cgroup.controllers", "cpu io\n");
    expect("no group here");
}

static void
no_groups(void **state)
{
    (void)state;
    expect("no group here");
    folder_write("proc/self/mountinfo", "nonsense\n35 31 0:32 /\n\n - cgroup2\n");
    folder_write("proc/self/cgroup", "0:\n:::\n0::/x");
    expect("no group here");
}

/* --- on this machine ------------------------------------------------------- */

static enum sandbox_end
run(struct sandbox s, const char *script, struct sandbox_process *p)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    struct report r = {0};
    int code;

    s.program = "/bin/sh";
    s.argv = argv;
    s.env = env;
    if (sandbox_start(&s, p, &r) != 0)
        fail_msg("%s", r.text);
    assert_non_null(p->group);
    return sandbox_wait(p, BACKSTOP_MS, NULL, 0, 0, &code);
}

/* How many groups there are below the one that was prepared. */
static int
groups(void)
{
    char *text = xstrdup(strchr(getenv("WARPJUDGE_CGROUPS"), '/'));
    char *command;
    char line[16] = "";
    FILE *f;

    text[strcspn(text, ":")] = '\0';
    command = xasprintf("find %s -mindepth 1 -type d | wc -l", text);
    f = popen(command, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    pclose(f);
    free(command);
    free(text);
    return atoi(line);
}

#define SKIP_WITHOUT_GROUPS()                                                            \
    do {                                                                                 \
        (void)state;                                                                     \
        if (!live)                                                                       \
            skip();                                                                      \
    } while (0)

static void
memory_is_held_together(void **state)
{
    const struct sandbox s = {.memory_bytes = 64 * MIB};
    struct sandbox_process p;

    SKIP_WITHOUT_GROUPS();
    assert_int_equal(run(s, "head -c 20000000 /dev/zero | tail -c 20000000 | wc -c", &p),
                     SANDBOX_EXITED);
    assert_false(p.out_of_memory);
    /* Four of 30 MB, which a limit for each would let pass. Nobody reads what they write,
     * so that each stays, and the first that is killed ends the rest. */
    (void)run(s,
              "for i in 1 2 3 4; do (head -c 30000000 /dev/zero | tail -c 30000000; "
              "kill -9 $$) & done | sleep 600",
              &p);
    assert_true(p.out_of_memory);
    assert_int_equal(groups(), 0);
}

static void
files_in_memory_count(void **state)
{
    const struct sandbox s = {.memory_bytes = 64 * MIB, .tmp_bytes = 1024 * MIB};
    struct sandbox_process p;

    SKIP_WITHOUT_GROUPS();
    (void)run(s, "head -c 200000000 /dev/zero > /tmp/x", &p);
    assert_true(p.out_of_memory);
    assert_int_equal(groups(), 0);
}

/* Of folder, too. */
static void
processes_are_held(void **state)
{
    const struct sandbox s = {.memory_bytes = 64 * MIB, .processes = 10};
    struct sandbox_process p;

    SKIP_WITHOUT_GROUPS();
    assert_int_equal(run(s, "for i in 1 2 3 4 5 6 7 8; do sleep 600 & done; exit 0", &p),
                     SANDBOX_EXITED);
    assert_int_not_equal(p.survived, true);
    assert_int_equal(
        run(s,
            "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 600 & done; touch "
            "/tmp/all; exec sleep 60",
            &p),
        SANDBOX_EXITED); /* the shell gives up: it cannot fork */
    assert_int_equal(groups(), 0);
}

/* Without namespaces, a process that left its parents, its session and its group. */
static void
insecure_leaves_nothing(void **state)
{
    const struct sandbox s = {.memory_bytes = 64 * MIB, .insecure = true, .chdir = "/"};
    char *path = xasprintf("/tmp/test_cgroup.%d", (int)getpid());
    char *script =
        xasprintf("(setsid sh -c 'trap \"\" TERM HUP; echo $$ > %s; exec sleep 60' &); "
                  "until [ -s %s ]; do sleep 0.01; done",
                  path, path);
    struct sandbox_process p;
    struct report r = {0};
    struct buf pid = {0};
    int status = 0;

    SKIP_WITHOUT_GROUPS();
    assert_int_equal(run(s, script, &p), SANDBOX_EXITED);
    assert_false(p.survived);
    assert_int_equal(file_read(path, 100, &pid, &r), 0);
    assert_int_equal(unlink(path), 0);
    /* It was an orphan, and came to us. */
    assert_int_equal(waitpid((pid_t)atoi(buf_str(&pid)), &status, 0),
                     atoi(buf_str(&pid)));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(groups(), 0);
    buf_free(&pid);
    free(script);
    free(path);
}

/* Others have removed our own group, in which nothing runs now. */
static void
removed_home_is_made_again(void **state)
{
    const struct sandbox s = {.memory_bytes = 64 * MIB, .processes = 10};
    const char *home;
    struct sandbox_process p;

    SKIP_WITHOUT_GROUPS();
    home = getenv("WARPJUDGE_CGROUPS");
    assert_non_null(home);
    home = strchr(home, ':') + 1;
    while (*home != '\0') {
        const size_t len = strcspn(home, ":");
        char *group = xasprintf("%.*s", (int)len, home);

        assert_int_equal(rmdir(group), 0);
        free(group);
        home += len + (home[len] == ':');
    }
    assert_int_equal(run(s, "exit 0", &p), SANDBOX_EXITED);
    assert_int_equal(groups(), 0);
}

/* Our child made a group and died; what it started lives in it. */
static void
sweep(void **state)
{
    int fds[2];
    pid_t maker, orphan = 0;
    struct report r = {0};

    SKIP_WITHOUT_GROUPS();
    assert_int_equal(pipe(fds), 0);
    maker = fork();
    if (maker == 0) {
        const struct sandbox s = {.memory_bytes = 64 * MIB};
        struct cgroup_place g;
        int fd[CGROUP_TREES];

        if (cgroup_make(&s, &g, &r) != 0 || cgroup_entries(&g, fd, &r) != 0)
            _exit(1);
        orphan = fork();
        if (orphan == 0) {
            for (int i = 0; i < CGROUP_TREES; i++)
                if (fd[i] >= 0 && write(fd[i], "0", 1) != 1)
                    _exit(1);
            orphan = getpid();
            if (write(fds[1], &orphan, sizeof orphan) < 0)
                _exit(1);
            pause();
        }
        pause();
    }
    assert_int_equal(read(fds[0], &orphan, sizeof orphan), sizeof orphan);
    assert_true(groups() > 0);
    assert_int_equal(cgroups_sweep(), 0);
    assert_true(groups() > 0); /* its maker lives */
    assert_int_equal(kill(maker, SIGKILL), 0);
    assert_int_equal(waitpid(maker, NULL, 0), maker);
    assert_int_equal(cgroups_sweep(), 0);
    assert_int_equal(groups(), 0);
    close(fds[0]);
    close(fds[1]);
}

/* A child of this daemon's has made a group, which it tells, and outlives it a little. */
static noreturn void
be_daemon(int to)
{
    const struct sandbox s = {.memory_bytes = 64 * MIB};
    struct cgroup_place g;
    struct report r = {0};

    if (cgroups_begin(&r) != 0)
        _exit(1);
    if (fork() == 0) {
        char made[200] = "";
        const pid_t self = getpid();

        if (cgroup_make(&s, &g, &r) != 0)
            _exit(1);
        snprintf(made, sizeof made, "%s", g.folder[0]);
        if (write(to, &self, sizeof self) < 0 || write(to, made, sizeof made) < 0)
            _exit(1);
    }
    for (;;)
        pause();
}

static void
the_next_daemon_sweeps_all_of_it(void **state)
{
    char made[200];
    int fds[2], status;
    pid_t daemon, child, next;
    struct report r = {0};

    SKIP_WITHOUT_GROUPS();
    assert_int_equal(pipe(fds), 0);
    daemon = fork();
    if (daemon == 0)
        be_daemon(fds[1]);
    assert_int_equal(read(fds[0], &child, sizeof child), sizeof child);
    assert_int_equal(read(fds[0], made, sizeof made), sizeof made);
    assert_int_equal(access(made, F_OK), 0);
    assert_int_equal(kill(daemon, SIGKILL), 0);
    assert_int_equal(waitpid(daemon, NULL, 0), daemon);
    next = fork();
    if (next == 0) {
        if (cgroups_begin(&r) != 0)
            _exit(1);
        cgroups_end();
        _exit(0);
    }
    assert_int_equal(waitpid(next, &status, 0), next);
    assert_int_equal(kill(child, SIGKILL), 0); /* whatever comes now */
    assert_int_equal(status, 0);
    assert_int_equal(access(made, F_OK), -1);
    *strrchr(made, '/') = '\0';
    assert_int_equal(access(made, F_OK), -1); /* the daemon's own */
    close(fds[0]);
    close(fds[1]);
}

/* What version 2 does without controllers can be tried wherever it is mounted. */
static void
version_2_kills_at_once(void **state)
{
    static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    struct cgroup_place g = {.version = 2};
    int fd[CGROUP_TREES], joined[2], status;
    struct report r = {0};
    pid_t pid;
    char c;

    (void)state;
    for (int i = 0; i < 2 && g.folder[0] == NULL; i++) {
        char *kill_file = xasprintf("%s/cgroup.subtree_control", places[i]);
        char *made = xasprintf("%s/test_cgroup-%d", places[i], (int)getpid());

        if (access(kill_file, W_OK) == 0 && mkdir(made, 0755) == 0)
            g.folder[0] = made;
        else
            free(made);
        free(kill_file);
    }
    if (g.folder[0] == NULL)
        skip();
    assert_int_equal(cgroup_entries(&g, fd, &r), 0);
    assert_int_equal(pipe(joined), 0);
    pid = fork();
    if (pid == 0) {
        if (write(fd[0], "0", 1) != 1 || write(joined[1], ".", 1) != 1)
            _exit(1);
        pause();
    }
    close(fd[0]);
    assert_int_equal(read(joined[0], &c, 1), 1);
    close(joined[0]);
    close(joined[1]);
    assert_false(cgroup_out_of_memory(&g));
    assert_true(cgroup_remove(&g));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static int
begin(void **state)
{
    struct report why = {0};

    (void)state;
    live = cgroups_begin(&why) == 0;
    if (!live)
        print_message("no groups here: %s\n", why.text);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    cgroups_end();
    return 0;
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(version_1, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(version_1_below_its_top, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(version_2, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(version_2_among_others, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(version_2_without_controllers, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(no_groups, folder_make, folder_remove),
        cmocka_unit_test(memory_is_held_together),
        cmocka_unit_test(files_in_memory_count),
        cmocka_unit_test(processes_are_held),
        cmocka_unit_test(insecure_leaves_nothing),
        cmocka_unit_test(removed_home_is_made_again),
        cmocka_unit_test(sweep),
        cmocka_unit_test(the_next_daemon_sweeps_all_of_it),
        cmocka_unit_test(version_2_kills_at_once),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
