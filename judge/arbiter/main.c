/*
 * warpjudge-arbiter: one judgement. A folder in, one result file out (record/job.h).
 *
 * Theory of operation
 *
 *     daemon ──stdin lines─> arbiter ──socket──> runner of the reference   (sandbox)
 *            <─progress────     │    ──socket──> runner of the submission  (sandbox)
 *                               │    ──socket──> emulated GPU (emu only)   (sandbox)
 *                               └── result.json
 *
 * The arbiter owns the device's memory, the clock and the answers. Runners own nothing:
 * they see the buffers of their calls, and nothing that they say is believed; a reply
 * only tells when to look (runner/protocol.h). The submission's runner never shares
 * memory with the reference's, and the expected outputs are in no memory that it, or its
 * emulated GPU, can reach.
 *
 *   open      (while nvcc may still run) the device, and the process, empty yet, that
 *             the submission will be loaded into
 *   "reference"  it is compiled
 *   prepare   (while nvcc may still run) start the reference, draw every test's
 *             inputs from a secret seed, compute the answers; on emu also those of the
 *             timed calls, as far as there is time
 *                                     prepare.c, reference.c, timing.c
 *   "go"      the submission is compiled, and the one before it is through
 *   measure   on a GPU what the protocol costs, and what the card can do
 *                                                      timing.c, timing_empty.c
 *   load      the submission
 *   tests     for each: fill, call, copy away, compare; the first wrong one ends it
 *                                                            judgement.c, trial.c
 *   timing    the benchmark, each call with inputs of its own and checked   timing.c
 *   result    written whole, and said; then it leaves
 *
 * What the submission did wrong is a struct outcome and exit status 0. What we did wrong
 * is a struct report: a judge_error in result.json; status 4 if not even that can be
 * written. All children die with this process (sandbox.h), and it dies with the daemon.
 *
 * The result ends the judgement, not the end of this process, which on a GPU takes the
 * driver some 25 ms more for each context: as soon as the result is said the daemon takes
 * it and may let the next one go. It can, since nothing of the submission's lives any
 * more (leftovers.c has looked) and what is left of ours asks nothing of the card but to
 * give back what it has. Until that is done this process still holds its turn
 * (gpu_lock.h), so that nobody measures beside it. A failure of ours is not said: some of
 * the submission's may be alive until this process has ended, and the daemon waits for
 * that.
 *
 * With --ahead it prepares while another is judged on the same card (gpu_lock.h). What
 * fails then may be for want of memory that the other has: it leaves with
 * ARBITER_UNPREPARED, and the daemon starts it again when its turn has come.
 *
 * With --soundness it judges no submission but the problem itself: soundness.h.
 */
#include "arbiter/calling/gpu_lock.h"
#include "arbiter/judging/progress.h"
#include "arbiter/measuring/timing.h"
#include "arbiter/phases.h"
#include "arbiter/soundness/soundness.h"
#include "base/inject.h"
#include "record/job.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES_MAX 32
#define DESCRIPTORS                                                                      \
    512 /* more than a judgement ever needed; with fewer it still works                  \
         */

/* The names are strangers' only as far as the driver is; they are escaped all the same.
 */
static int
print_devices(void)
{
    struct device_info info[DEVICES_MAX];
    char names[DEVICES_MAX][16];
    int count = device_list(info, DEVICES_MAX, names);

    for (int i = 0; i < count; i++) {
        cJSON *o = cJSON_CreateObject();
        char *text;

        cJSON_AddStringToObject(o, "name", names[i]);
        cJSON_AddStringToObject(o, "board", info[i].board);
        cJSON_AddStringToObject(o, "title", info[i].name);
        cJSON_AddStringToObject(o, "arch", info[i].arch);
        cJSON_AddStringToObject(o, "driver", info[i].driver);
        cJSON_AddNumberToObject(o, "memory_bytes", (double)info[i].memory_bytes);
        text = cJSON_PrintUnformatted(o);
        if (text == NULL)
            die(4, "out of memory");
        puts(text);
        free(text);
        cJSON_Delete(o);
    }
    return fflush(stdout) == 0 ? 0 : 4;
}

/* Is there a line to be read, or the end of waiting for one? */
static bool
is_awaited(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&in, 1, 0) != 0;
}

/* Exactly this line. Anything else, or the end of the file, means: there is nothing to
 * judge. */
static bool
wait_for_line(const char *wanted)
{
    char line[16] = "";
    size_t len = 0;

    while (len < sizeof line - 1 && memchr(line, '\n', len) == NULL) {
        ssize_t n = read(STDIN_FILENO, line + len, 1);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        len++;
    }
    return strcmp(line, wanted) == 0;
}

/* A failure of ours, told in the result. */
static int
write_failure(struct judgement *j, const char *folder, const struct report *why,
              struct report *r)
{
    struct result failure = {.verdict = VERDICT_JUDGE_ERROR,
                             .message = (char *)(uintptr_t)why->text,
                             .board = j->result.board};

    fprintf(stderr, "%s: judgement %s: %s\n", program_invocation_short_name, folder,
            why->text);
    return result_write(folder, &failure, r);
}

/* Writes the result and says so. why: of our failure; NULL: the submission was judged. */
static void
conclude_judgement(struct judgement *j, const char *folder, const struct report *why)
{
    struct report r = {0};
    int rc;

    inject_kill(INJECT_ARBITER_KILLED);
    rc = why == NULL ? result_write(folder, &j->result, &r)
                     : write_failure(j, folder, why, &r);
    inject_kill(INJECT_ARBITER_KILLED);
    if (rc != 0) {
        judgement_close(j);
        die(4, "%s", r.text);
    }
    if (why != NULL)
        return;
    progress_result();
    inject_kill(INJECT_ARBITER_KILLED);
}

/* The driver takes a process's contexts and memory back as it ends, and needs no more
 * time for all of it than for one buffer after the other. Who waits for this process to
 * end (what was not prepared yet, and a second attempt) gets the card that much earlier;
 * on a device of our own making all is given back, which is when a leak shows. */
static void
leave_judged(struct judgement *j)
{
    if (j->device != NULL && !device_clock_modelled(j->device)) {
        judgement_end_processes(j);
        (void)fflush(stdout);
        _exit(0);
    }
    judgement_close(j);
}

/* There is nothing to judge. What it takes to give contexts back is a step like those
 * that made them, where another one is judged. */
static void
leave_unjudged(struct judgement *j)
{
    gpu_lock_enter(j->gpu_lock);
    judgement_close(j);
}

/* 1: there is nothing to judge. A failure waits for its lines, too, unless it is one of
 * those that are free: without them nobody wants a result. */
static int
prepare_judgement(struct judgement *j, const char *folder, bool ahead, struct report *r)
{
    int rc = judgement_open(j, folder, ahead, r);

    if (rc == 0 && !is_awaited())
        rc = judgement_wake(j, r);
    if (rc != 0 && ahead)
        return -1;
    if (!wait_for_line("reference\n"))
        return 1;
    return rc == 0 ? judgement_prepare(j, r) : rc;
}

static int
judge_submission(const char *folder, bool ahead)
{
    struct judgement j;
    struct report r = {0};
    int rc;

    progress_preparing();
    rc = prepare_judgement(&j, folder, ahead, &r);
    if (rc < 0 && ahead) {
        leave_unjudged(&j);
        die(ARBITER_UNPREPARED, "it is prepared when its turn has come: %s", r.text);
    }
    for (int more = 1; rc == 0 && more > 0 && !is_awaited();) {
        more = timing_prepare(&j, &r);
        rc = more < 0 ? -1 : 0;
    }
    if (rc > 0 || !wait_for_line("go\n")) {
        leave_unjudged(&j);
        return 0;
    }
    if (rc == 0)
        rc = judgement_run(&j, &r);
    conclude_judgement(&j, folder, rc != 0 ? &r : NULL);
    leave_judged(&j);
    return 0;
}

/* Room for descriptors while there is one thread: the table of a process that has several
 * is enlarged only after every CPU has been through the scheduler, and in the middle of a
 * judgement that took 9 to 25 ms. */
static void
reserve_descriptors(void)
{
    int last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, DESCRIPTORS - 1);

    if (last >= 0)
        close(last);
}

/* `warpjudge problem check`: no submission, its own result file. */
static int
check_problem(const char *folder)
{
    struct report r = {0};

    if (soundness_run(folder, &r) != 0)
        die(4, "%s", r.text);
    return 0;
}

int
main(int argc, char **argv)
{
    reserve_descriptors();
    if (argc == 2 && strcmp(argv[1], "--devices") == 0)
        return print_devices();
    if (argc == 3 && strcmp(argv[1], "--soundness") == 0)
        return check_problem(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--ahead") == 0)
        return judge_submission(argv[2], true);
    if (argc != 2 || argv[1][0] == '-')
        die(2, "usage: warpjudge-arbiter [--ahead] JOBDIR | --soundness JOBDIR | "
               "--devices");
    return judge_submission(argv[1], false);
}
