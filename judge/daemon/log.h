/* The daemon's only log: lines on stderr, each with the time in front. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
