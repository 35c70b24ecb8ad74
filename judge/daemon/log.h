/*
 * The daemon's only log: lines on stderr, each with the time in front, as text or as one
 * JSON object. Control characters and bytes that are not UTF-8 are escaped, so that no
 * text of a stranger's can end a line or command a terminal.
 */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* From now on lines are JSON. */
void log_use_json(void);

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct log_field {
    const char *name;
    const char *text; /* NULL: it is a number */
    double number;
};

/* A line of named values, for programs that read the log. */
void log_event(const char *event, const struct log_field *fields, size_t count);

#endif
