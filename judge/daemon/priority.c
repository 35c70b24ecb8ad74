#include "daemon/priority.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The session's priority among sessions; 0 where the kernel has none. */
static int
session_priority(int fd)
{
    char text[64];
    const ssize_t len = read(fd, text, sizeof text - 1);
    const char *priority;

    if (len <= 0)
        return 0;
    text[len] = '\0';
    priority = strstr(text, " nice "); /* "/autogroup-12 nice -5" */
    return priority != NULL ? (int)strtol(priority + strlen(" nice "), NULL, 10) : 0;
}

/* Raises this process's session among the others. Where that is refused, or sessions do
 * not count, it has the priority of all. */
static void
session_raise(int by)
{
    const int fd = open("/proc/self/autogroup", O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)dprintf(fd, "%d", session_priority(fd) - by);
    close(fd);
}

int
priority_raise(int by)
{
    const int before = getpriority(PRIO_PROCESS, 0);

    if (setpriority(PRIO_PROCESS, 0, before - by) == 0 && getsid(0) == getpid())
        session_raise(by);
    return before;
}
