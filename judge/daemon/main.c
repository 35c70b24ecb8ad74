/*
 * warpjudged takes submissions, has them judged, and keeps the boards.
 *
 * It is one process with one event loop, and never touches a submission itself. For each
 * one it starts warpjudge-compile and warpjudge-arbiter, gives them a folder, and reads
 * one result file (record/job.h). It holds no GPU context and runs no stranger's code, so
 * that nothing that a submission does can stop it. Threads of their own hash passwords
 * (hashing.h), read results (result_reading.h), make the database's checkpoints
 * (checkpoints.h), and check a large database (damage_check.h).
 *
 *     CLI, web --HTTP--> server --> store (SQLite)      a submission is safe from here on
 *                           |         ^
 *                           v         | one transaction when it is done
 *                         queue --> children: warpjudge-compile, then warpjudge-arbiter
 *                           |
 *                           +-----> streams: events to the watchers
 *
 * The store knows two states of a submission, queued and done. Everything between them is
 * in this process and its children. If it crashes, its children end with it
 * (PR_SET_PDEATHSIG). At the next start their folders are removed, and what was not done
 * is judged again. A lock file makes it the only writer of its database. The kernel drops
 * the lock when the process ends.
 *
 * SIGTERM and SIGINT make it drain (drain.h): what is judged ends and is recorded, what
 * waits stays queued. A second signal ends it at once, which loses nothing either.
 *
 * SQLite's commits happen in the loop. One costs a flush to the disk, and there are two
 * for each submission. One commit stores all submissions that have come since the one
 * before (submitting.c).
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/inject.h"
#include "daemon/access.h"
#include "daemon/arbiters.h"
#include "daemon/archives.h"
#include "daemon/arguments.h"
#include "daemon/checkpoints.h"
#include "daemon/daemon.h"
#include "daemon/damage_check.h"
#include "daemon/drain.h"
#include "daemon/events.h"
#include "daemon/fingerprint.h"
#include "daemon/first_admin.h"
#include "daemon/hashing.h"
#include "daemon/hiding.h"
#include "daemon/house.h"
#include "daemon/http.h"
#include "daemon/idle.h"
#include "daemon/join_limits.h"
#include "daemon/listen.h"
#include "daemon/listings.h"
#include "daemon/log.h"
#include "daemon/meanings.h"
#include "daemon/metrics.h"
#include "daemon/previews.h"
#include "daemon/purge.h"
#include "daemon/queue.h"
#include "daemon/rejudge.h"
#include "daemon/removal.h"
#include "daemon/request.h"
#include "daemon/result_reading.h"
#include "daemon/sign_in_limits.h"
#include "daemon/slurm/slurm.h"
#include "daemon/specs.h"
#include "daemon/standings.h"
#include "daemon/streams.h"
#include "daemon/submitting.h"
#include "daemon/thread_pool.h"
#include "daemon/web/clock.h"
#include "daemon/web/view.h"
#include "daemon/workers.h"
#include "record/job.h"
#include "record/lock.h"
#include "record/store.h"
#include "sandbox/cgroup.h"
#include "sandbox/ids.h"
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much freed memory the heap keeps. */
#define FREED_BYTES_KEPT (4 << 20)

/* --- before it listens -------------------------------------------------- */

/* Passes nvcc and its toolkit on in the environment, so that compile steps need not
 * look. */
static void
share_toolkit(struct config *c)
{
    char *nvcc;

    config_find_toolkit(c);
    if (c->cuda_root == NULL)
        return;
    nvcc = xasprintf("%s/bin/nvcc", c->cuda_root);
    if (setenv("WARPJUDGE_NVCC", nvcc, 1) != 0)
        log_line("WARPJUDGE_NVCC cannot be set: %s", strerror(errno));
    free(nvcc);
}

/* Opens descriptors 0, 1 and 2 where they are closed, so that no file of ours gets one of
 * these numbers. Closes all others, which the program that started us has left open. */
static void
open_standard_files(void)
{
    int fd;

    closefrom(3);
    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (fd < 0)
            _exit(EXIT_FAILED);
    } while (fd <= 2 && fcntl(fd, F_SETFD, 0) == 0);
    close(fd);
}

/* Raises the limit of open files, because there may be more connections than the usual
 * soft limit of 1024. */
static void
raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur < 8192)
        limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        log_line("the limit of open files stays as it is: %s", strerror(errno));
}

/* Removes the folders of attempts that a killed daemon has left. One that cannot be
 * removed does no harm, because every attempt has a folder of a new name. So does a
 * folder of jobs that cannot be read; attempts say what they cannot write there. */
static void
sweep_jobs(const char *jobs)
{
    DIR *dir = opendir(jobs);
    struct dirent *e;

    if (dir == NULL) {
        log_line("%s cannot be read, so that what an earlier run left there stays: %s",
                 jobs, strerror(errno));
        return;
    }
    while ((e = readdir(dir)) != NULL) {
        struct report r = {0};
        char *path;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        path = xasprintf("%s/%s", jobs, e->d_name);
        if (file_remove_tree(path, &r) != 0)
            log_line("%s", r.text);
        free(path);
    }
    closedir(dir);
}

static void
log_libevent(int severity, const char *message)
{
    if (severity >= EVENT_LOG_WARN)
        log_line("libevent: %s", message);
}

/* Finds as whom sandboxes run, and whether they do. Where they do not as other users,
 * which takes more of a machine, they may as our own. */
static int
begin_sandboxes(struct daemon *d, struct report *r)
{
    struct report why = {0};

    if (ids_begin(&d->no_ids) < 0)
        return report_fail(r, "%s", d->no_ids.text);
    if (ids_active() && sandbox_probe(&why) != 0) {
        ids_stop();
        report_fail(&d->no_ids, "%s", why.text);
    }
    return sandbox_probe(r);
}

static void
say_users(const struct daemon *d)
{
    char *text = ids_text();

    log_line("sandboxes run as %s%s%s", text, report_is_set(&d->no_ids) ? ": " : "",
             d->no_ids.text);
    free(text);
}

static void
open_database(struct daemon *d)
{
    struct store_opening how = {0};
    struct report r = {0};

    if (store_open_to_serve(d->config.database, &d->store, &how, &r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    d->database_checked = how.checked;
    if (how.upgraded_from > 0)
        log_line("the database was upgraded from schema %d to %d, which took %.1f s",
                 how.upgraded_from, how.schema, (double)how.upgrade_ns / 1e9);
}

/* Gives the GPU's driver a folder for what it compiles of the judge's own kernels. Where
 * it cannot write one in the user's home, as under the systemd unit, it would compile
 * them in each arbiter. A folder that the environment names is left as it is. */
static void
share_driver_cache(const struct config *c)
{
    char *folder = xasprintf("%s/driver", c->cache);
    struct report r = {0};

    if (file_mkdirs(folder, &r) != 0)
        log_line("%s", r.text);
    else if (chmod(folder, 0700) != 0 || setenv("CUDA_CACHE_PATH", folder, 0) != 0)
        log_line("%s cannot be used by the driver: %s", folder, strerror(errno));
    free(folder);
}

static void
prepare_home(struct daemon *d)
{
    struct report r = {0};

    if (file_mkdirs(d->config.home, &r) != 0 || lock_home(d->config.home, &r) < 0 ||
        file_mkdirs(d->config.jobs, &r) != 0 || file_mkdirs(d->config.cache, &r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    /* What is compiled for one user is not for another login of this machine. Programs
     * that we start find what is there, and nobody can list it. */
    if (chmod(d->config.jobs, 0711) != 0 || chmod(d->config.cache, 0711) != 0)
        log_line("jobs and cache may be listed by others: %s", strerror(errno));
    share_driver_cache(&d->config);
    open_database(d);
    if (sandbox_probe_limits(&r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    if (!d->settings.insecure && begin_sandboxes(d, &r) != 0)
        die(EXIT_BAD_INPUT,
            "%s (--insecure-no-sandbox runs submissions without a sandbox, and marks "
            "every "
            "result so: only for code that you trust)",
            r.text);
    if (!d->settings.insecure)
        say_users(d);
    if (!d->settings.keep_jobs)
        sweep_jobs(d->config.jobs);
}

static void
begin_groups(struct daemon *d)
{
    if (cgroups_begin(&d->no_groups) != 0)
        log_line("no control groups, resource limits only: %s", d->no_groups.text);
    if (atexit(cgroups_end) != 0)
        die(EXIT_FAILED, "out of memory");
}

/* An event loop that tells the kernel once before each wait what has changed. evhttp
 * takes a connection's events off and puts them on again with each request. */
static struct event_base *
event_loop_new(void)
{
    struct event_config *how = event_config_new();
    struct event_base *base = NULL;

    if (how != NULL &&
        event_config_set_flag(how, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST) == 0)
        base = event_base_new_with_config(how);
    if (how != NULL)
        event_config_free(how);
    return base;
}

static void
open_parts(struct daemon *d)
{
    struct report r = {0};

    event_set_log_callback(log_libevent);
    d->base = event_loop_new();
    if (d->base == NULL)
        die(EXIT_FAILED, "no event loop can be made");
    d->metrics = metrics_new();
    d->access_log = access_log_new(d->base, d->metrics);
    d->children = children_new(d->base);
    d->arbiters = arbiters_new(d);
    d->devices.workers_only = d->settings.workers_only;
    if (devices_load(&d->devices, &d->config, d->base, d->children, &r) != 0)
        die(EXIT_FAILED, "%s", r.text);
    metrics_see_devices(d->metrics, &d->devices);
    d->specs = specs_new(d->config.problems);
    d->hiding = hiding_new(d);
    d->meanings = meanings_new(d->config.problems);
    if (meanings_load(d->meanings, d->store, &r) != 0 || meanings_adopt(d, &r) != 0)
        die(EXIT_FAILED, "%s", r.text);
    d->rejudge = rejudge_new(d);
    d->house = house_new(d);
    d->standings = standings_new(d);
    d->streams = streams_new(d);
    d->events = events_new(d);
    d->born = fingerprint((uint64_t)getpid(), &(uint64_t){now_ns()}, sizeof(uint64_t)) ^
              (uint64_t)now_ms();
    d->removal = removal_new(&r);
    if (d->removal == NULL)
        die(EXIT_FAILED, "%s", r.text);
    d->workers = workers_new(d);
    d->archives = archives_new(d, &r);
    if (d->archives == NULL)
        die(EXIT_FAILED, "%s", r.text);
    d->queue = queue_new(d);
    if (queue_load(d->queue, &r) != 0)
        die(EXIT_FAILED, "%s", r.text);
    if (slurm_new(d, &d->slurm, &r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    d->join_limits = join_limits_new();
    d->sign_in_limits = sign_in_limits_new();
    d->hashing = hashing_new(d->base, &r);
    if (d->hashing == NULL)
        die(EXIT_FAILED, "%s", r.text);
    d->readings = thread_pool_new(d->base, READING_THREADS, "a result that is read", &r);
    if (d->readings == NULL)
        die(EXIT_FAILED, "%s", r.text);
    d->checkpoints = checkpoints_new(d, &r);
    if (d->checkpoints == NULL)
        die(EXIT_FAILED, "%s", r.text);
    d->purge = purge_new(d);
    if (!d->database_checked) {
        d->damage_check = damage_check_new(d, &r);
        if (d->damage_check == NULL)
            die(EXIT_FAILED, "%s", r.text);
    }
    d->submitting = submitting_new(d);
    d->listings = listings_new(d);
    d->previews = previews_new(d);
    d->web = web_new(d->base, &r);
    if (d->web == NULL)
        die(EXIT_FAILED, "%s", r.text);
    d->server = server_new(d);
}

/* Completes the policy: accounts that are there count, and an open judge hides nothing.
 */
static void
settle_policy(struct daemon *d)
{
    struct policy *p = &d->policy;
    struct report r = {0};
    bool accounts = false;

    if (store_has_account(d->store, ROLE_MEMBER, &accounts, &r) != 0)
        die(EXIT_FAILED, "%s", r.text);
    /* Whom a proxy names has an account, and no other way to one is opened by that. */
    if (p->registration == REGISTRATION_OFF && d->proxies.header != NULL)
        p->registration = REGISTRATION_CLOSED;
    if (p->registration == REGISTRATION_OFF && accounts)
        p->registration = REGISTRATION_INVITATION;
    if (p->open)
        p->sources = SOURCES_PUBLIC;
}

/* Fails where other machines could reach a daemon that does not know who they are. */
static int
check_reach(const struct daemon *d, int fd, struct report *r)
{
    if (d->policy.open || d->policy.registration != REGISTRATION_OFF ||
        listen_is_local(fd))
        return 0;
    return report_fail(r,
                       "--listen %s: other machines can reach this address, so that "
                       "accounts are needed: add --registration invitation, or --open if "
                       "whoever comes may submit under any name",
                       d->settings.listen);
}

static int
open_sockets(struct daemon *d)
{
    struct report r = {0};
    int port = 0;
    int fd = d->settings.listen != NULL ? listen_tcp(d->settings.listen, &port, &r) : -1;

    if (d->settings.listen != NULL &&
        (fd < 0 || check_reach(d, fd, &r) != 0 || server_accept(d->server, fd, &r) != 0))
        die(EXIT_BAD_INPUT, "%s", r.text);
    d->port = port;
    fd = listen_unix(d->config.socket, d->settings.local_users, &r);
    if (fd < 0 || server_accept(d->server, fd, &r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    if (first_admin_begin(d, port, &r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    return port;
}

/* Prints the line that a starting command waits for. It may be gone already, which does
 * not matter. */
static void
say_ready(const struct daemon *d, int port)
{
    cJSON *o = cJSON_CreateObject();
    char *text;

    cJSON_AddStringToObject(o, "event", "ready");
    cJSON_AddStringToObject(o, "socket", d->config.socket);
    cJSON_AddNumberToObject(o, "port", port);
    text = cJSON_PrintUnformatted(o);
    cJSON_Delete(o);
    if (text == NULL)
        die(EXIT_FAILED, "out of memory");
    puts(text);
    fflush(stdout);
    free(text);
}

/* --- running ------------------------------------------------------------ */

static void
on_idle_check(evutil_socket_t fd, short what, void *arg)
{
    struct daemon *d = arg;
    uint64_t idle_s = (now_ns() - d->last_request_ns) / 1000000000u;

    (void)fd;
    (void)what;
    if (queue_length(d->queue) > 0 || idle_is_under_way(d) || streams_any(d->streams) ||
        events_any(d->events) || listings_any(d->listings) || previews_any(d->previews) ||
        idle_s < (uint64_t)d->settings.idle_exit_s)
        return;
    d->draining = true;
    log_line("stopping: nothing to do for %llu s", (unsigned long long)idle_s);
    event_base_loopbreak(d->base);
}

/* Holds back further signals while the daemon ends, because none must end it in between.
 */
static void
hold_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Runs the loop. The signals are caught before the ready line is printed, because its
 * reader may stop the daemon at once. */
static void
daemon_run(struct daemon *d, int port)
{
    static const struct timeval second = {.tv_sec = 1};
    struct event *term = evsignal_new(d->base, SIGTERM, drain_on_signal, d);
    struct event *interrupt = evsignal_new(d->base, SIGINT, drain_on_signal, d);
    struct event *idle = event_new(d->base, -1, EV_PERSIST, on_idle_check, d);

    if (term == NULL || interrupt == NULL || idle == NULL || event_add(term, NULL) != 0 ||
        event_add(interrupt, NULL) != 0 ||
        (d->settings.idle_exit_s > 0 && event_add(idle, &second) != 0))
        die(EXIT_FAILED, "the event loop cannot be set up");
    if (inject_folder() != NULL)
        log_line("WARPJUDGE_INJECT=%s makes the machine fail: for tests only",
                 inject_folder());
    if (d->settings.seed != NULL)
        log_line("--seed makes every judgement's inputs the same: for tests only");
    log_line("warpjudged %s serves %s, device %s", WARPJUDGE_VERSION, d->config.home,
             d->devices.entry[0].name);
    say_ready(d, port);
    d->last_request_ns = now_ns();
    queue_step(d->queue);
    if (event_base_dispatch(d->base) < 0)
        die(EXIT_FAILED, "the event loop failed: %s", strerror(errno));
    slurm_stop(d->slurm);
    drain_streams(d);
    arbiters_end(d->arbiters);
    hold_signals();
    event_free(term);
    event_free(interrupt);
    event_free(idle);
}

/* Closes the parts. The socket goes first, because nobody may find it when what answers
 * on it is gone. */
static void
close_parts(struct daemon *d)
{
    unlink(d->config.socket);
    streams_free(d->streams);
    events_free(d->events);
    submitting_free(d->submitting);
    web_end(d->web);
    server_free(d->server);
    hashing_free(d->hashing);
    thread_pool_free(d->readings);
    web_free(d->web);
    standings_free(d->standings);
    join_limits_free(d->join_limits);
    sign_in_limits_free(d->sign_in_limits);
    purge_free(d->purge);
    damage_check_free(d->damage_check);
    arbiters_free(d->arbiters);
    children_free(d->children);
    listings_free(d->listings);
    previews_free(d->previews);
    slurm_free(d->slurm);
    queue_free(d->queue);
    workers_free(d->workers);
    archives_free(d->archives);
    removal_free(d->removal);
    rejudge_free(d->rejudge);
    house_free(d->house);
    specs_free(d->specs);
    hiding_free(d->hiding);
    meanings_free(d->meanings);
    devices_free(&d->devices);
    access_log_free(d->access_log);
    metrics_free(d->metrics);
    checkpoints_free(d->checkpoints);
    event_base_free(d->base);
    store_close(d->store);
    config_free(&d->config);
    libevent_global_shutdown();
}

int
main(int argc, char **argv)
{
    struct daemon d = {0};
    struct report r = {0};

    open_standard_files();
    d.settings = arguments_parse(argc, argv, &d.policy, &d.proxies);
    if (d.settings.log_json)
        log_use_json();
    if (d.settings.zone != NULL)
        clock_begin(d.settings.zone);
    if (config_load(&d.config, &r) != 0)
        die(EXIT_BAD_INPUT, "%s", r.text);
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        die(EXIT_FAILED, "SIGPIPE cannot be ignored");
    raise_file_limit();
    /* By default 128 KiB at the heap's end go back to the kernel at once, and most
     * transactions and answers got them anew, page by page. Where another allocator
     * knows no such limit, as that of the sanitizers, nothing changes. */
    (void)mallopt(M_TRIM_THRESHOLD, FREED_BYTES_KEPT);
    /* That limit ends malloc's learning what else is large. A source of 1 MB is copied
     * some times, each into memory that is kept. */
    (void)mallopt(M_MMAP_THRESHOLD, FREED_BYTES_KEPT);
    share_toolkit(&d.config);
    prepare_home(&d);
    settle_policy(&d);
    begin_groups(&d);
    open_parts(&d);
    daemon_run(&d, open_sockets(&d));
    close_parts(&d);
    return 0;
}
