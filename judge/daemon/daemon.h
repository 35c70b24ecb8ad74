/*
 * struct daemon, the whole daemon: one process, one event loop. Its parts are
 * these.
 *
 *     server     HTTP on a Unix socket and on TCP      http.h, api.h
 *     store      what is kept in the database          record/store.h
 *     queue      unfinished submissions, in memory     queue.h
 *     children   compilers and arbiters                child.h
 *     arbiters   those that wait for a submission      arbiters.h
 *     streams    the watchers of submissions           streams.h
 *     events     streams of server-sent events         events.h
 *     hashing    passwords, in threads of their own    hashing.h
 *     readings   results, in threads of their own      result_reading.h
 *     checkpoints  of the database, in a thread        checkpoints.h
 *     listings   what sources are compiled to          listings.h
 *     previews   problems for their authors            previews.h
 *     specs      the problems                          specs.h
 *     hiding     which of them are hidden from whom    hiding.h
 *     meanings   what of them results belong to        meanings.h
 *     rejudge    what is judged again                  rejudge.h
 *     house      the judge's own solutions             house.h
 *     standings  the points of all boards together     standings.h
 *     workers    who judges on other machines          workers.h
 *     archives   the problems as workers fetch them    archives.h
 *     slurm      jobs of a cluster that judge          slurm/slurm.h
 *     devices    what submissions are judged on        devices.h
 *     metrics    what is counted of all this           metrics.h
 *     web        the pages                             web/view.h
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "base/config.h"
#include "base/report.h"
#include "daemon/devices.h"
#include "daemon/proxy.h"
#include "daemon/rights.h"

#include <stdbool.h>
#include <stdint.h>

struct settings {
    const char *listen;        /* HOST:PORT, or NULL */
    const char *host_names;    /* --host-name: more names to answer to, or NULL */
    const char *allow_origins; /* --allow-origin: pages that may call the API, or NULL */
    bool insecure;             /* --insecure-no-sandbox */
    const char *zone;          /* --zone, which the tz database has; NULL: UTC */
    bool log_json;             /* --log-format */
    bool keep_jobs;            /* --keep-jobs */
    int idle_exit_s;           /* 0: never */
    int drain_s;               /* --drain: for how long a stop waits for judgements */
    bool local_users;          /* --local-users */
    int stay; /* --stay: how many submissions an arbiter judges before it ends */
    int emu;  /* --emu: how many are judged on emu at a time; 0: as many as fit */
    bool workers_only; /* --workers-only: this machine judges nothing itself */
    int lease_s;       /* --lease: so long a worker may be silent */
    int lease_limit_s; /* --lease-limit: so long it may have a submission */
    int token_workers; /* --workers-per-token: how many workers a token may have */
    const char *seed;  /* --seed, of every judgement; NULL: each draws its own */
    const struct slurm_settings *slurm; /* NULL, or of the config file */
};

struct daemon {
    struct config config;
    struct settings settings;
    struct policy policy;
    struct proxies proxies;
    struct login_cache last_login;
    struct event_base *base;
    struct store *store;
    struct children *children;
    struct arbiters *arbiters;
    struct devices devices;
    struct specs *specs;
    struct hiding *hiding;
    struct meanings *meanings;
    struct queue *queue;
    struct workers *workers;
    struct archives *archives;
    struct slurm *slurm; /* NULL: no cluster judges for us */
    struct rejudge *rejudge;
    struct house *house;
    struct standings *standings;
    struct streams *streams;
    struct events *events;
    struct server *server;
    struct web *web;
    struct submitting *submitting;
    struct listings *listings;
    struct previews *previews;
    struct metrics *metrics;
    struct access_log *access_log;
    struct join_limits *join_limits;
    struct sign_in_limits *sign_in_limits;
    struct hashing *hashing;
    struct thread_pool *readings;
    struct purge *purge;
    bool database_checked;             /* for damage, when it was opened */
    struct damage_check *damage_check; /* NULL: it is not needed */
    struct checkpoints *checkpoints;
    struct removal *removal;  /* of job folders */
    struct report no_groups;  /* why there are no control groups; empty where there are */
    struct report no_ids;     /* why sandboxes run as our own user; empty if they don't */
    uint64_t born;            /* a number of this run of the daemon */
    uint64_t last_request_ns; /* CLOCK_MONOTONIC */
    int port;                 /* of TCP; 0: it listens on its Unix socket alone */
    bool draining;            /* it ends when what is judged has ended (drain.h) */
};

#endif
