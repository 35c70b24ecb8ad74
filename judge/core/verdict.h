/* The verdicts of a judgement: one table, so that enum and names cannot drift apart. */
#ifndef CORE_VERDICT_H
#define CORE_VERDICT_H

/*      enumerator       name in JSON, SQLite and on the terminal */
#define VERDICTS(X)                                                                      \
    X(ACCEPTED, "accepted")                                                              \
    X(WRONG_ANSWER, "wrong_answer")                                                      \
    X(COMPILE_ERROR, "compile_error")                                                    \
    X(RUNTIME_ERROR, "runtime_error")                                                    \
    X(TIME_LIMIT, "time_limit")                                                          \
    X(MEMORY_LIMIT, "memory_limit")                                                      \
    X(OUTPUT_LIMIT, "output_limit")                                                      \
    X(DISQUALIFIED, "disqualified") /* caught cheating, or faster than the hardware */   \
    X(JUDGE_ERROR, "judge_error")   /* our fault: retried once, never the user's failure \
                                     */

enum verdict {
#define X(name, text) VERDICT_##name,
    VERDICTS(X)
#undef X
        VERDICT_COUNT
};

const char *verdict_name(enum verdict v);

/* -1 if the name is none of the table's. */
int verdict_parse(const char *name, enum verdict *out);

#endif
