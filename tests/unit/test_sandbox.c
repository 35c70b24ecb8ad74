// links: sandbox common
/* The sandbox against programs that try to get out, to stay or to take too much. Every
 * test runs a shell script in it. */
#include "base/buf.h"
#include "base/file.h"
#include "sandbox/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BACKSTOP_MS 600000 /* for what hangs; a busy machine comes nowhere near */

static const char *const env[] = {"PATH=/usr/bin:/bin", "GREETING=hello", NULL};

struct outcome {
    enum sandbox_end end;
    int code;
    struct buf out;
    double seconds;
};

static void
start(struct sandbox *s, struct sandbox_process *p, const char *script)
{
    static const char *argv[4] = {"/bin/sh", "-c", NULL, NULL};
    struct report r = {0};

    argv[2] = script;
    s->program = "/bin/sh";
    s->argv = argv;
    s->env = env;
    if (sandbox_start(s, p, &r) != 0)
        fail_msg("%s", r.text);
}

static struct outcome
run(struct sandbox s, const char *script, uint64_t deadline_ms, size_t limit_bytes)
{
    struct outcome o = {0};
    struct sandbox_process p;
    uint64_t begin = now_ns();

    start(&s, &p, script);
    o.end = sandbox_wait(&p, deadline_ms, &o.out, 1000, limit_bytes, &o.code);
    o.seconds = (double)(now_ns() - begin) / 1e9;
    return o;
}

/* Runs the script in a plain sandbox and wants it to print exactly this. */
static void
expect_output(struct sandbox s, const char *script, const char *wanted)
{
    struct outcome o = run(s, script, BACKSTOP_MS, 0);

    assert_string_equal(buf_str(&o.out), wanted);
    assert_int_equal(o.end, SANDBOX_EXITED);
    buf_free(&o.out);
}

static void
test_exit_status_and_output(void **state)
{
    struct outcome o = run((struct sandbox){0}, "echo out; echo err >&2; exit 7", 0, 0);

    (void)state;
    assert_int_equal(o.end, SANDBOX_EXITED);
    assert_int_equal(o.code, 7);
    assert_string_equal(buf_str(&o.out), "out\nerr\n");
    buf_free(&o.out);
}

/* How much a program has printed by now; what it prints is thrown away. */
static size_t
printed(const struct sandbox_process *p)
{
    char text[65536];
    size_t all = 0;
    ssize_t n;

    while ((n = read(p->output, text, sizeof text)) > 0)
        all += (size_t)n;
    return all;
}

static void
await_print(const struct sandbox_process *p)
{
    while (printed(p) == 0)
        usleep(1000);
}

/* It prints without end, stands, goes on. */
static void
test_freeze(void **state)
{
    for (int insecure = 0; insecure < 2; insecure++) {
        struct sandbox s = {.insecure = insecure != 0};
        struct sandbox_process p;
        struct report r = {0};
        int code;

        (void)state;
        start(&s, &p, "while :; do echo x; done");
        await_print(&p);
        for (int round = 0; round < 3; round++) {
            assert_int_equal(sandbox_freeze(&p, &r), 0);
            (void)printed(&p);
            usleep(50000);
            assert_int_equal(printed(&p), 0);
            sandbox_thaw(&p);
            await_print(&p);
        }
        assert_int_equal(sandbox_freeze(&p, &r), 0);
        sandbox_kill(&p); /* also while it stands */
        sandbox_wait(&p, BACKSTOP_MS, NULL, 0, 0, &code);
        assert_false(p.survived);
    }
}

/* One that has ended stands well enough. */
static void
test_freeze_of_none(void **state)
{
    struct sandbox s = {0};
    struct sandbox_process p;
    struct report r = {0};
    int code;

    (void)state;
    start(&s, &p, "exit 0");
    usleep(300000);
    assert_int_equal(sandbox_freeze(&p, &r), 0);
    sandbox_thaw(&p);
    assert_int_equal(sandbox_wait(&p, BACKSTOP_MS, NULL, 0, 0, &code), SANDBOX_EXITED);
}

static void
test_signal(void **state)
{
    struct outcome o = run((struct sandbox){0}, "kill -SEGV $$", 0, 0);

    (void)state;
    assert_int_equal(o.end, SANDBOX_SIGNALED);
    assert_int_equal(o.code, SIGSEGV);
    buf_free(&o.out);
}

static void
test_environment_is_only_ours(void **state)
{
    (void)state;
    assert_int_equal(setenv("SANDBOX_TEST_SECRET", "secret", 1), 0);
    expect_output((struct sandbox){0}, "echo $GREETING$SANDBOX_TEST_SECRET", "hello\n");
}

static void
test_timeout_kills_all(void **state)
{
    struct outcome o = run((struct sandbox){0}, "sleep 600 & sleep 600", 200, 0);

    (void)state;
    assert_int_equal(o.end, SANDBOX_TIMED_OUT);
    assert_true(o.seconds < 600);
    buf_free(&o.out);
}

static void
test_output_limit(void **state)
{
    struct outcome o = run((struct sandbox){0}, "yes", BACKSTOP_MS, 100000);

    (void)state;
    assert_int_equal(o.end, SANDBOX_OUTPUT_LIMIT);
    assert_int_equal(o.out.len, 1000); /* kept no more than asked for */
    buf_free(&o.out);
}

/* A daemon that left its session and its parents. It holds one end of a socket pair that
 * nobody outside has: the end of file there says that it is dead. */
static void
test_nothing_survives(void **state)
{
    int pair[2];
    struct sandbox_fd fd = {.to = 3};
    struct sandbox s = {.fd = &fd, .fd_count = 1};
    struct sandbox_process p;
    int code;
    char c;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    fd.from = pair[1];
    start(&s, &p,
          "(setsid sh -c 'trap \"\" TERM HUP; echo up >&3; touch /tmp/up; sleep 60' &);"
          "until [ -e /tmp/up ]; do sleep 0.01; done");
    close(pair[1]);
    assert_int_equal(read(pair[0], &c, 1), 1);
    assert_int_equal(sandbox_wait(&p, BACKSTOP_MS, NULL, 0, 0, &code), SANDBOX_EXITED);
    while (recv(pair[0], &c, 1, MSG_DONTWAIT) == 1)
        continue;
    assert_int_equal(recv(pair[0], &c, 1, MSG_DONTWAIT), 0);
    close(pair[0]);
}

static void
test_kill_and_ended(void **state)
{
    struct sandbox s = {0};
    struct sandbox_process p;
    int code;

    (void)state;
    start(&s, &p, "sleep 60");
    assert_false(sandbox_ended(&p));
    sandbox_kill(&p);
    assert_int_equal(sandbox_wait(&p, BACKSTOP_MS, NULL, 0, 0, &code), SANDBOX_SIGNALED);
    assert_int_equal(code, SIGKILL);
}

/* Two descriptors whose numbers inside are each other's outside. */
static void
test_descriptors_cross(void **state)
{
    int low = memfd_create("a", MFD_CLOEXEC), high = memfd_create("b", MFD_CLOEXEC);
    struct sandbox_fd fd[2] = {{low, high}, {high, low}};
    char script[100];

    (void)state;
    assert_int_equal(pwrite(low, "low", 3, 0), 3);
    assert_int_equal(pwrite(high, "high", 4, 0), 4);
    snprintf(script, sizeof script, "cat /proc/self/fd/%d; cat /proc/self/fd/%d", low,
             high);
    expect_output((struct sandbox){.fd = fd, .fd_count = 2}, script, "highlow");
    close(low);
    close(high);
}

static void
test_no_stray_descriptors(void **state)
{
    int stray = dup(STDERR_FILENO); /* not close-on-exec */

    (void)state;
    /* 3 is the folder that ls reads. */
    expect_output((struct sandbox){0}, "ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3 ");
    close(stray);
}

static void
test_view_of_files(void **state)
{
    (void)state;
    expect_output(
        (struct sandbox){0},
        "ls -d /root /home /var /etc/passwd /work 2>/dev/null; "
        "touch /x /usr/x /dev/x 2>/dev/null; ls -d /x /usr/x /dev/x 2>/dev/null; "
        "touch /tmp/y && echo private",
        "private\n");
    assert_int_not_equal(access("/tmp/y", F_OK), 0);
}

static void
test_binds(void **state)
{
    char folder[] = "/tmp/test_sandbox.XXXXXX", file[64];
    struct sandbox_bind bind[2] = {{folder, "/rw", true}, {folder, "/ro", false}};
    struct sandbox s = {.bind = bind, .bind_count = 2, .chdir = "/rw"};

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0777), 0); /* the sandbox's user is not ours */
    expect_output(s,
                  "echo text > f; cat /ro/f; echo no 2>/dev/null > /ro/f || echo refused",
                  "text\nrefused\n");
    snprintf(file, sizeof file, "%s/f", folder);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void
test_own_namespaces(void **state)
{
    (void)state;
    expect_output((struct sandbox){0},
                  "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; hostname; "
                  "ls -d /proc/[0-9]* | wc -l | grep -c '^[1-9]$'",
                  "lo\njudge\n1\n");
}

/* Each kind, by the kernel's names for ours and for the sandbox's. */
static void
test_no_namespace_is_shared(void **state)
{
    static const char *const kinds[] = {"user", "pid",    "net", "ipc",
                                        "uts",  "cgroup", "mnt"};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *path = xasprintf("/proc/self/ns/%s", kinds[i]);
        char ours[64] = "";
        char *script;

        assert_true(readlink(path, ours, sizeof ours - 1) > 0);
        script = xasprintf("theirs=$(readlink %s) && [ \"$theirs\" != '%s' ] && "
                           "echo another",
                           path, ours);
        expect_output((struct sandbox){0}, script, "another\n");
        free(script);
        free(path);
    }
}

static void
test_no_privileges(void **state)
{
    (void)state;
    expect_output((struct sandbox){0},
                  "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | "
                  "tr -d '\\t'; unshare -Ur true 2>/dev/null || echo refused",
                  "CapEff:0000000000000000\nCapBnd:0000000000000000\nNoNewPrivs:1\n"
                  "Seccomp:2\nrefused\n");
}

static void
test_limits(void **state)
{
    struct sandbox s = {.file_bytes = 4096,
                        .open_files = 40,
                        .address_space_bytes = (uint64_t)512 << 20,
                        .processes = 77,
                        .cpu_seconds = 9,
                        .tmp_bytes = 1 << 20};

    (void)state;
    expect_output(s, "ulimit -n; ulimit -v; ulimit -t; ulimit -c; ulimit -H -t",
                  "40\n524288\n9\n0\n10\n");
    expect_output(s, "awk '/processes/{print $3}' /proc/self/limits", "77\n");
    expect_output(s,
                  "(head -c 9999 /dev/zero > /tmp/f; :) 2>/dev/null; stat -c %s /tmp/f",
                  "4096\n");
    s.file_bytes = 0;
    expect_output(
        s,
        "head -c 3000000 /dev/zero 2>/dev/null > /tmp/f; stat -c %s /tmp/f; "
        "head -c 3000000 /dev/zero 2>/dev/null > /dev/shm/f; stat -c %s /dev/shm/f",
        "1048576\n1048576\n");
}

static void
test_cpu_limit(void **state)
{
    struct outcome o =
        run((struct sandbox){.cpu_seconds = 1}, "while :; do :; done", BACKSTOP_MS, 0);

    (void)state;
    assert_int_equal(o.end, SANDBOX_SIGNALED);
    assert_int_equal(o.code, SIGXCPU);
    buf_free(&o.out);
}

static void
test_processes_limit(void **state)
{
    struct outcome o;

    (void)state;
    if (getuid() == 0 && !ids_active())
        skip(); /* Linux does not hold uid 0 to it */
    o = run(
        (struct sandbox){.processes = 10},
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 600 & done 2>/dev/null; echo all",
        BACKSTOP_MS, 0);
    assert_null(strstr(buf_str(&o.out), "all"));
    buf_free(&o.out);
}

static void
test_bare(void **state)
{
    struct sandbox s = {.bare = true, .tmp_bytes = 1 << 20};

    (void)state;
    expect_output(s, "ls /dev; ls -d /proc 2>&1; : > /dev/null && : > /tmp/a && echo ok",
                  "null\nls: cannot access '/proc': No such file or directory\nok\n");
}

/* Root keeps its files in /proc even without capabilities, and process 1 has no filter.
 */
static void
test_proc_is_closed(void **state)
{
    struct sandbox s = {0};

    (void)state;
    expect_output(s,
                  "for f in sys/kernel/core_pattern sys/kernel/hostname sysrq-trigger "
                  "self/comm; do (: > /proc/$f) 2>/dev/null && echo $f; done; "
                  "ls -A /proc/1; (: > /proc/1/x) 2>/dev/null && echo 1; test -r "
                  "/proc/self/maps && echo ok",
                  "ok\n");
}

/* On a GPU a process's own folder is open: libcuda names its threads there. */
static void
test_proc_for_cuda(void **state)
{
    static const char *const nodes[] = {"/dev/null", NULL};
    struct sandbox s = {.gpu = nodes};

    (void)state;
    expect_output(s,
                  "for f in $(cd /proc; find sys irq bus fs driver tty sysvipc acpi mtrr "
                  "sysrq-trigger -type f 2>/dev/null) 1/mem; do "
                  "(: >> /proc/$f) 2>/dev/null && echo $f; done; "
                  "ls -A /proc/1; echo named > /proc/self/comm && echo ok",
                  "ok\n");
}

static void
test_one_process(void **state)
{
    struct sandbox s = {.one_process = true};
    struct outcome o;

    (void)state;
    expect_output(s, "echo $GREETING; exec /bin/echo again", "hello\nagain\n");
    o = run(s, "/bin/true; echo after", BACKSTOP_MS, 0);
    assert_non_null(strstr(buf_str(&o.out), "fork"));
    assert_null(strstr(buf_str(&o.out), "after"));
    buf_free(&o.out);
}

/* What Nsight Compute and compute-sanitizer need, and no more: their network is the
 * sandbox's own loopback, and a lock holds up nobody. */
static void
test_debugs(void **state)
{
    static const char script[] =
        "cat >/tmp/a.py <<'END'\n"
        "import errno, fcntl, os, socket, stat\n"
        "def name(f, *a):\n"
        "    try:\n"
        "        f(*a)\n"
        "    except OSError as e:\n"
        "        return errno.errorcode[e.errno]\n"
        "    return 'yes'\n"
        "s = socket.socket()\n"
        "s.bind(('127.0.0.1', 0))\n"
        "s.listen()\n"
        "print(name(socket.create_connection, s.getsockname()))\n"
        "print(name(socket.create_connection, ('192.0.2.1', 80)))\n"
        "for family, kind in ((2, 2), (2, 3), (10, 1), (16, 3), (40, 1)):\n"
        "    print(family, kind, name(socket.socket, family, kind))\n"
        "for protocol in (6, 132, 256, 262):\n"
        "    print(protocol, name(socket.socket, 2, 1, protocol))\n"
        "print(name(os.mkfifo, '/tmp/f'))\n"
        "print(name(os.mknod, '/tmp/d', stat.S_IFBLK | 0o600, os.makedev(8, 0)))\n"
        "print(name(fcntl.flock, open('/usr/bin/env'), fcntl.LOCK_EX))\n"
        "END\n"
        "python3 /tmp/a.py";

    (void)state;
    expect_output((struct sandbox){.debugs = true}, script,
                  "yes\nENETUNREACH\n2 2 ENOSYS\n2 3 ENOSYS\n10 1 EAFNOSUPPORT\n"
                  "16 3 EAFNOSUPPORT\n40 1 EAFNOSUPPORT\n6 yes\n132 ENOSYS\n"
                  "256 ENOSYS\n262 ENOSYS\nyes\nENOSYS\nyes\n");
}

static void
test_insecure(void **state)
{
    struct sandbox s = {.insecure = true, .open_files = 40, .chdir = "/usr"};
    struct outcome o;

    (void)state;
    expect_output(s, "ulimit -n; pwd; echo $GREETING", "40\n/usr\nhello\n");
    o = run(s, "sleep 60 & sleep 60", 200, 0);
    assert_int_equal(o.end, SANDBOX_TIMED_OUT);
    buf_free(&o.out);
}

/* Stands before the C library's: in one test the process is asked for when it is gone. */
static bool only_when_gone;

int
pidfd_open(pid_t pid, unsigned flags)
{
    while (only_when_gone && kill(pid, 0) == 0)
        usleep(1000);
    return (int)syscall(SYS_pidfd_open, pid, flags);
}

static void
test_programs_that_cannot_be_run(void **state)
{
    static const char *const argv[] = {"x", NULL};
    char unseen[PATH_MAX] = "";
    struct sandbox s = {.program = "/usr/bin/no-such-program", .argv = argv};
    struct sandbox_process p;
    struct report r = {0};
    struct buf out = {0};
    int code;

    (void)state;
    assert_int_equal(sandbox_start(&s, &p, &r), -1);
    assert_string_equal(r.text,
                        "the program /usr/bin/no-such-program cannot be run: No such "
                        "file or directory");
    /* This test's own program is there, but not in a sandbox. */
    assert_true(readlink("/proc/self/exe", unseen, sizeof unseen - 1) > 0);
    s.program = unseen;
    r.text[0] = '\0';
    assert_int_equal(sandbox_start(&s, &p, &r), 0);
    assert_int_equal(sandbox_wait(&p, BACKSTOP_MS, &out, 1000, 0, &code), SANDBOX_FAILED);
    assert_non_null(strstr(buf_str(&out), unseen));
    buf_free(&out);
    assert_int_equal(sandbox_probe(&r), 0);
}

/* bubblewrap gives up on its own, soon or late, while the sandbox is being started. */
static void
test_folders_that_are_not_there(void **state)
{
    static const char *const argv[] = {"true", NULL};
    const struct sandbox_bind bind = {"/no/such/folder", "/x", false};
    const struct sandbox s = {
        .program = "/usr/bin/true", .argv = argv, .bind = &bind, .bind_count = 1};
    struct sandbox_process p;
    struct report r = {0};

    (void)state;
    only_when_gone = true;
    assert_int_equal(sandbox_start(&s, &p, &r), -1);
    only_when_gone = false;
    assert_non_null(strstr(r.text, "/no/such/folder"));
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_status_and_output),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_freeze_of_none),
        cmocka_unit_test(test_environment_is_only_ours),
        cmocka_unit_test(test_timeout_kills_all),
        cmocka_unit_test(test_output_limit),
        cmocka_unit_test(test_nothing_survives),
        cmocka_unit_test(test_kill_and_ended),
        cmocka_unit_test(test_descriptors_cross),
        cmocka_unit_test(test_no_stray_descriptors),
        cmocka_unit_test(test_view_of_files),
        cmocka_unit_test(test_binds),
        cmocka_unit_test(test_own_namespaces),
        cmocka_unit_test(test_no_namespace_is_shared),
        cmocka_unit_test(test_no_privileges),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_cpu_limit),
        cmocka_unit_test(test_processes_limit),
        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_proc_is_closed),
        cmocka_unit_test(test_proc_for_cuda),
        cmocka_unit_test(test_one_process),
        cmocka_unit_test(test_debugs),
        cmocka_unit_test(test_insecure),
        cmocka_unit_test(test_programs_that_cannot_be_run),
        cmocka_unit_test(test_folders_that_are_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
