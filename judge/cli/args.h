/*
 * The arguments of the command line. Flags may stand anywhere, as `--flag value`,
 * `--flag=value`, `-f value` or `-fvalue`. After `--` everything is an argument. A flag
 * means the same in every verb, so that one pass reads them before the verb is known.
 * There are two exceptions: after `emu PROGRAM` everything is the program's, and `worker`
 * alone takes several devices.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "base/report.h"
#include "record/serve_options.h"

#include <stdbool.h>

/*    enumerator  name        letter  its value's name in --help, or NULL: it takes none
 * Those of `serve` say more (record/serve_options.h). --zone is among them, and other
 * verbs have it, too. */
#define FLAGS(X)                                                                         \
    X(HELP, "help", 'h', NULL)                                                           \
    X(VERSION, "version", 'V', NULL)                                                     \
    X(PROBLEM, "problem", 'p', "SLUG")                                                   \
    X(DEVICE, "device", 'd', "NAME")                                                     \
    X(USER, "user", 'u', "NAME")                                                         \
    X(LIMIT, "limit", 'n', "COUNT")                                                      \
    X(JSON, "json", 0, NULL)                                                             \
    X(ALL, "all", 'a', NULL)                                                             \
    X(WAIT, "wait", 'w', NULL)                                                           \
    SERVE_OPTIONS(X)                                                                     \
    X(SERVER, "server", 0, "URL")                                                        \
    X(TOKEN_FILE, "token-file", 0, "FILE")                                               \
    X(IDLE_S, "idle-s", 0, "N")                                                          \
    X(COMPILE_ONLY, "compile-only", 0, NULL)                                             \
    X(COMPILERS, "compilers", 0, "N")                                                    \
    X(CONFIG, "config", 0, "FILE")                                                       \
    X(SCOPES, "scopes", 0, "LIST")                                                       \
    X(DAYS, "days", 0, "N")                                                              \
    X(ROLE, "role", 0, "ROLE")                                                           \
    X(USES, "uses", 0, "N")                                                              \
    X(OPENS, "opens", 0, "TIME")                                                         \
    X(CLOSES, "closes", 0, "TIME")                                                       \
    X(UNTIL, "until", 0, "TIME")                                                         \
    X(HIDDEN, "hidden", 0, NULL)                                                         \
    X(GROUP, "group", 0, "GROUP")                                                        \
    X(TEACHER, "teacher", 0, "NAME")                                                     \
    X(JOIN, "join", 0, NULL)                                                             \
    X(CODE, "code", 0, NULL)                                                             \
    X(CHECKS, "checks", 0, NULL)                                                         \
    X(COUNTERS, "counters", 0, NULL)                                                     \
    X(JOBS, "jobs", 'j', "N")                                                            \
    X(SAMPLE, "sample", 0, NULL)                                                         \
    X(FAST, "fast", 0, NULL)                                                             \
    X(SIGNATURE, "signature", 0, "TEXT")                                                 \
    X(TITLE, "title", 0, "TEXT")                                                         \
    X(DIFFICULTY, "difficulty", 0, "LEVEL")                                              \
    X(THREADS, "threads", 0, "N")                                                        \
    X(OLDER, "older", 0, NULL)                                                           \
    X(PAGE, "page", 0, "P")                                                              \
    X(AROUND, "around", 0, "NAME")                                                       \
    X(CSV, "csv", 0, NULL)                                                               \
    X(CHANGED, "changed", 0, NULL)                                                       \
    X(PREVIEW, "preview", 0, NULL)                                                       \
    X(MEMORY, "memory", 0, "BYTES")                                                      \
    X(EASY, "easy", 0, NULL)                                                             \
    X(MEDIUM, "medium", 0, NULL)                                                         \
    X(HARD, "hard", 0, NULL)                                                             \
    X(TAG, "tag", 0, "TAG")                                                              \
    X(SOLVED, "solved", 0, NULL)                                                         \
    X(UNSOLVED, "unsolved", 0, NULL)                                                     \
    X(TRIED, "tried", 0, NULL)                                                           \
    X(SORT, "sort", 0, "KEY")                                                            \
    X(LONG, "long", 0, NULL)                                                             \
    X(OUTPUT, "output", 'o', "FILE")                                                     \
    X(VERDICT, "verdict", 0, "VERDICT")                                                  \
    X(MODE, "mode", 0, "MODE")                                                           \
    X(PTX, "ptx", 0, NULL)                                                               \
    X(SASS, "sass", 0, NULL)                                                             \
    X(LINE, "line", 0, "N")                                                              \
    X(SIZE, "size", 0, "NAME=N")                                                         \
    X(VALUES, "values", 0, "NAME=V")                                                     \
    X(DUMP, "dump", 0, "DIR")                                                            \
    X(SUBMIT, "submit", 0, NULL)                                                         \
    X(SANITIZE, "sanitize", 0, NULL)                                                     \
    X(GRADESCOPE, "gradescope", 0, "FILE")                                               \
    X(POINTS, "points", 0, "N")                                                          \
    X(VISIBILITY, "visibility", 0, "WHEN")                                               \
    X(STAGE, "stage", 0, "STAGE")                                                        \
    X(RESUME, "resume", 0, NULL)                                                         \
    X(PROBLEMS, "problems", 0, "DIR")                                                    \
    X(BOTH, "both", 0, NULL)                                                             \
    X(BASELINE, "baseline", 0, "NAME")                                                   \
    X(HTML, "html", 0, "FILE")                                                           \
    X(SIGN, "sign", 0, "KEY")                                                            \
    X(KEY, "key", 0, "FILE")                                                             \
    X(AGAIN, "again", 0, NULL)

enum flag {
#define X(name, text, letter, value, ...) FLAG_##name,
    FLAGS(X)
#undef X
        FLAG_COUNT
};

/* The values of a flag that may be given several times. */
struct args_list {
    const char **value;
    int count;
};

struct args {
    const char
        *flag[FLAG_COUNT]; /* the value; "" for a flag that takes none; NULL: not given */
    struct args_list tags, sizes, values; /* of --tag, --size and --values */
    struct args_list devices; /* of --device, of which only `worker` takes several */
    const char **positional;  /* the arguments, of which the verb is the first */
    int count;
};

/* The strings of out point into argv. args_free() frees the rest. A flag that is given
 * twice with two values is an error, but for those of a struct args_list. */
int args_parse(int argc, char **argv, struct args *out, struct report *r);
void args_free(struct args *args);

/* Drops the first argument, which must be there. */
void args_shift(struct args *args);

/* Reads a flag's value, a whole number from 1 to `most`. Anything else is an error that
 * names the flag. */
int args_number(const struct args *args, enum flag flag, long most, long *out,
                struct report *r);

/* Reads a submission's number. */
int args_submission(const char *text, long *id, struct report *r);

const char *flag_name(enum flag flag);
char flag_letter(enum flag flag);
const char *flag_value_name(enum flag flag);

#endif
