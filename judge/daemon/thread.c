#include "daemon/thread.h"

#include <signal.h>
#include <string.h>

int
thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg, struct report *r)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0 ? 0 : report_fail(r, "no thread can be made: %s", strerror(rc));
}
