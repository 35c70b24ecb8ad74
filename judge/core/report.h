/*
 * A sentence for a person, filled in by whoever first sees what is wrong.
 *
 * Library functions return a code (0 or -1 unless their header says otherwise) and fill a
 * struct report that the caller owns; only a program's main prints it and exits. The
 * first message wins: what happens while an error is being handled must not hide its
 * cause.
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include <stdbool.h>
#include <stdnoreturn.h>

struct report {
    char text[2048]; /* empty: nothing reported; never ends in a newline */
};

/* Fills r if nothing has been reported yet. r may be NULL. Always returns -1, so that
 * `return report_fail(r, ...)` reads as what it does. */
int report_fail(struct report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with ": " and the text of errno behind the message. */
int report_errno(struct report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before a message that is already there (a file's name, a JSON path). */
void report_prefix(struct report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool report_is_set(const struct report *r);

/* For a program's main only: prints "PROGRAM: message" on stderr and exits. */
noreturn void die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
