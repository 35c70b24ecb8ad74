/*
 * The options of `warpjudge serve`: one row for each. From this table follow the flags of
 * the command line and of the daemon, the keys of the config file, and --help.
 * docs/operating.md lists them, too, and a test compares.
 *
 * To add one, add a row, and take it in daemon/arguments.c.
 */
#ifndef RECORD_SERVE_OPTIONS_H
#define RECORD_SERVE_OPTIONS_H

/*    enumerator  name  letter  its value's name, or NULL: it takes none  what it does
 */
#define SERVE_OPTIONS(X)                                                                 \
    X(HOME, "home", 0, "DIR",                                                            \
      "keep everything in this folder; WARPJUDGE_HOME otherwise")                        \
    X(LISTEN, "listen", 0, "HOST:PORT",                                                  \
      "also answer on TCP; port 0 takes a free one and prints it")                       \
    X(HOST_NAME, "host-name", 0, "NAME,...",                                             \
      "answer to these host names, too, as behind a proxy")                              \
    X(ALLOW_ORIGIN, "allow-origin", 0, "ORIGIN,...",                                     \
      "let pages of these other sites call the API")                                     \
    X(REGISTRATION, "registration", 0, "WHO",                                            \
      "have accounts, for: closed, invitation or open")                                  \
    X(SOURCES, "sources", 0, "WHO",                                                      \
      "others see sources: owner (never), solved or public")                             \
    X(QUOTA, "quota", 0, "N", "how many submissions a member may make in an hour")       \
    X(QUOTA_IN_FLIGHT, "quota-in-flight", 0, "N",                                        \
      "how many of a member's may be not done yet")                                      \
    X(QUOTA_DEVICE, "quota-device-seconds", 0, "N",                                      \
      "how long a member may use devices in 24 hours")                                   \
    X(PROXY, "proxy", 0, "NETWORK,...",                                                  \
      "believe reverse proxies there when they name a client")                           \
    X(PROXY_HEADER, "proxy-header", 0, "NAME", "the header in which they name the user") \
    X(OPEN, "open", 0, NULL, "over TCP everybody may submit, and see every source")      \
    X(LOCAL_USERS, "local-users", 0, NULL,                                               \
      "all logins of this machine may use the socket")                                   \
    X(EMU, "emu", 0, "N",                                                                \
      "judge so many on emu at a time; otherwise one for each two CPUs")                 \
    X(STAY, "stay", 0, "N",                                                              \
      "an arbiter judges so many before it ends; 100 unless said otherwise")             \
    X(WORKERS_ONLY, "workers-only", 0, NULL,                                             \
      "judge nothing here: leave everything to workers")                                 \
    X(LEASE, "lease", 0, "SECONDS",                                                      \
      "give up a worker that is silent for so long; 60 unless said otherwise")           \
    X(LEASE_LIMIT, "lease-limit", 0, "SECONDS",                                          \
      "no worker may have a submission for longer; 25200 unless said otherwise")         \
    X(TOKEN_WORKERS, "workers-per-token", 0, "N",                                        \
      "the workers of one token have so many places; 1024 unless said otherwise")        \
    X(DRAIN, "drain", 0, "SECONDS",                                                      \
      "a stop waits so long for what is judged; 60 unless said otherwise")               \
    X(IDLE_EXIT, "idle-exit", 0, "SECONDS",                                              \
      "end after so long without a request and with an empty queue")                     \
    X(ZONE, "zone", 0, "ZONE",                                                           \
      "show and take times in this time zone on pages; otherwise in UTC")                \
    X(LOG_FORMAT, "log-format", 0, "FORMAT", "write the log as text, or as json")        \
    X(KEEP_JOBS, "keep-jobs", 0, NULL,                                                   \
      "keep the folders of finished judgements, to look into them")                      \
    X(SEED, "seed", 0, "SEED",                                                           \
      "judge everything with these inputs (64 hexadecimal digits), for tests")           \
    X(INSECURE, "insecure-no-sandbox", 0, NULL,                                          \
      "run submissions without a sandbox: only your own")

enum serve_option {
#define X(name, text, letter, value, about) SERVE_##name,
    SERVE_OPTIONS(X)
#undef X
        SERVE_COUNT
};

#endif
