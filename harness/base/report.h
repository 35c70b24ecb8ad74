/*
 * A report: a sentence for a person, written where something is first seen to be wrong.
 *
 * Library functions return a code (0 or -1 unless their header says otherwise) and fill a
 * struct report that the caller owns. Only a program's main prints it and exits. The
 * first message wins, because what fails while an error is handled must not hide its
 * cause.
 */
#ifndef BASE_REPORT_H
#define BASE_REPORT_H

#include <stdbool.h>
#include <stdnoreturn.h>

struct report {
    char text[2048]; /* empty where nothing is reported; it never ends in a newline */
};

/* Fills r if nothing has been reported yet. r may be NULL. It always returns -1, so that
 * `return report_fail(r, ...)` says what it does. */
int report_fail(struct report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* As report_fail(), with ": " and the text of errno behind the message. */
int report_errno(struct report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "PREFIX: " before the message of a report, where there is one. The prefix is a
 * file's name or a JSON path. */
void report_prefix(struct report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool report_is_set(const struct report *r);

/* Prints "PROGRAM: message" on stderr and exits. Only a program's main calls it. */
noreturn void die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
