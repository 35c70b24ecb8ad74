/* The verdicts of a judgement, in one table, so that no verdict can lack a name or a
 * text. */
#ifndef RECORD_VERDICT_H
#define RECORD_VERDICT_H

/*    enumerator     name in JSON and SQLite  text for people          */
#define VERDICTS(X)                                                                      \
    X(ACCEPTED, "accepted", "accepted")                                                  \
    X(WRONG_ANSWER, "wrong_answer", "wrong answer")                                      \
    X(COMPILE_ERROR, "compile_error", "compile error")                                   \
    X(RUNTIME_ERROR, "runtime_error", "runtime error")                                   \
    X(TIME_LIMIT, "time_limit", "time limit exceeded")                                   \
    X(MEMORY_LIMIT, "memory_limit", "memory limit exceeded")                             \
    X(OUTPUT_LIMIT, "output_limit", "output limit exceeded")                             \
    /* it was caught cheating, or is faster than the hardware allows */                  \
    X(DISQUALIFIED, "disqualified", "disqualified")                                      \
    /* our failure, never the user's; judged once more before it is shown */             \
    X(JUDGE_ERROR, "judge_error", "judge error")                                         \
    /* somebody ended it; only the daemon gives this verdict */                          \
    X(CANCELLED, "cancelled", "cancelled")

enum verdict {
#define X(name, json, text) VERDICT_##name,
    VERDICTS(X)
#undef X
        VERDICT_COUNT
};

/* The name in JSON and SQLite. */
const char *verdict_name(enum verdict v);

/* The text for people. */
const char *verdict_text(enum verdict v);

/* -1 if no verdict has this name. */
int verdict_parse(const char *name, enum verdict *out);

#endif
