/* What `grade` knows of the problems that its lines name. Each is asked for once in a
 * run. */
#ifndef CLI_GRADE_PROBLEM_H
#define CLI_GRADE_PROBLEM_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct grade_problem {
    struct grade_problem *next;
    char *slug;
    char *refused;    /* why lines that name it cannot be judged; NULL: they can */
    char *difficulty; /* "easy" */
    cJSON *tags;      /* of the problem */
    bool on_emu;      /* it is judged on emu, too */
    char *meaning;    /* on the board of the run's device; "": not known */
    /* Of that board: {"name", "time_ns", "low_ns", "high_ns"} of each baseline, and of
     * the house's fastest and slowest solution. */
    cJSON *baselines;
};

/* Makes it of the API's answers, which stay the caller's. `board` may be NULL: nothing is
 * timed. */
struct grade_problem *grade_problem_new(const char *slug, const cJSON *problem,
                                        const cJSON *board);

/* One whose lines are refused for this reason. */
struct grade_problem *grade_problem_refused(const char *slug, const char *why);
void grade_problem_free(struct grade_problem *p);

#endif
