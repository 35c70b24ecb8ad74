/* The daemon's command line. A wrong one, --help and --version end the process. */
#ifndef DAEMON_ARGUMENTS_H
#define DAEMON_ARGUMENTS_H

#include "daemon/daemon.h"

#define EXIT_BAD_INPUT 2 /* the person who started it can change what is wrong */
#define EXIT_FAILED 4

struct settings arguments_parse(int argc, char **argv, struct policy *policy,
                                struct proxies *proxies);

#endif
