/*
 * A run of `grade`: some lines are in flight at a time, each as one submission after
 * another (docs/grading.md). They are sent with keys by which the judge knows them again.
 * So what was in flight when a run was killed is not judged twice when it goes on.
 *
 *     NEW       no submission of it is under way
 *     SENT      its submission is under way
 *
 * A line whose key is that of another line in flight waits for that one's result.
 */
#ifndef CLI_GRADE_RUN_H
#define CLI_GRADE_RUN_H

#include "cli/cli.h"
#include "cli/grade_ahead.h"
#include "cli/grade_line.h"
#include "cli/grade_output.h"
#include "cli/grade_problem.h"
#include "cli/grade_result.h"
#include "cli/grade_sign.h"
#include "cli/jsonl.h"

#include <stdbool.h>
#include <stdint.h>

/* A GPU judges two short kernels a second, and nvcc takes 20 s for the longest sources.
 */
#define GRADE_IN_FLIGHT 64
#define GRADE_IN_FLIGHT_MAX 200 /* of the judge's QUEUE_PER_PERSON */

struct grade_item {
    struct grade_item *next; /* the one that came later */
    struct grade_line line;
    struct grade_problem *problem;
    char key[65];
    enum grade_stage stage; /* of its submission, or of the next one */
    bool sent;
    int64_t id; /* of the submission */
    cJSON *emu; /* what emu said, where a GPU is asked then; NULL: nothing */
};

struct grade_counts {
    long lines, judged, cached, errors, skipped;
    long verdicts[24]; /* by the order of `words` */
    const char *words[24];
    int word_count;
};

struct grade {
    struct cli *cli;
    struct jsonl in;
    struct grade_output out;
    const char *device, *board; /* of the last stage */
    char *toolkit;
    bool signs; /* each line gets a bundle */
    struct grade_signer signer;
    enum grade_stage last;
    bool cascade; /* emu judges before a GPU does */
    bool both;    /* and the GPU judges what emu rejects */
    int most;     /* in flight */
    bool read_all;
    struct grade_ahead ahead; /* what was read and is not in flight */
    struct grade_item *first;
    int in_flight;
    struct grade_problem *problems;
    struct known_set seen;    /* ids of lines that were read in this run */
    struct known_set reasons; /* why lines wait, which was said */
    uint64_t later_ns; /* nothing is sent before; the judge wants to be left alone */
    uint64_t begun_ns, shown_ns;
    long total; /* lines of the input */
    struct grade_counts counts;
};

/* Judges everything. Returns an exit status, with the report set unless it is 0. The
 * caller has opened the input and the output, and calls grade_free(). */
int grade_run(struct grade *g);
void grade_free(struct grade *g);

#endif
