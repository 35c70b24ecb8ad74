/*
 * The end of a daemon. At the first signal it drains: nothing begins any more, and new
 * submissions are refused. What is judged ends and is recorded, what waits stays queued
 * in the store, and is judged after the next start. Lists and streams are answered
 * meanwhile. A second signal, or settings.drain_s running out, ends it at once. What is
 * judged then is judged again after the next start.
 */
#ifndef DAEMON_DRAIN_H
#define DAEMON_DRAIN_H

#include <event2/util.h>

struct daemon;

/* The handler of SIGTERM and SIGINT; arg is the daemon. */
void drain_on_signal(evutil_socket_t number, short what, void *arg);

/* After the loop: ends the streams of those who still watch, and sends what is left to
 * send and can be sent without waiting. */
void drain_streams(struct daemon *d);

#endif
