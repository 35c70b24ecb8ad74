/* One line on stderr with the time in front: the daemon's only log. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
