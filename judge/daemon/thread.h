/* Threads beside the event loop. */
#ifndef DAEMON_THREAD_H
#define DAEMON_THREAD_H

#include "base/report.h"

#include <pthread.h>

/* Starts a thread in which all signals are blocked, because signals are the event loop's.
 * Returns 0, or -1 with a report; the caller joins the thread. */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg, struct report *r);

#endif
