/*
 * warpjudge-arbiter makes one judgement. It takes a folder and leaves one result file in
 * it (record/job.h).
 *
 * Theory of operation
 *
 *     daemon ──stdin lines─> arbiter ──socket──> runner of the reference   (sandbox)
 *            <─progress────     │    ──socket──> runner of the submission  (sandbox)
 *                               │    ──socket──> emulated GPU (emu only)   (sandbox)
 *                               └── result.json
 *
 * The arbiter owns the device's memory, the clock and the answers. Runners own nothing.
 * They see the buffers of their calls, and nothing that they say is believed: a reply
 * only tells the arbiter when to look (runner/protocol.h). The submission's runner never
 * shares memory with the reference's. Neither it nor its emulated GPU can reach the
 * memory of the expected outputs.
 *
 * The steps, in their order; a word in quotes is a line from the daemon:
 *
 *   open          the device, and the runner into which the submission will be loaded;
 *                 nvcc may still run                                     prepare.c
 *   "reference"   the reference is compiled
 *   prepare       start the reference, draw every test's inputs from a secret seed, and
 *                 compute the answers; on emu also those of the timed calls, while there
 *                 is time; nvcc may still run         prepare.c, reference.c, timing.c
 *   "go"          the submission is compiled, and the one before it is done
 *   measure       on a GPU: time the empty calls, and calibrate
 *                                                       timing.c, timing_empty.c
 *   load          the submission                                         phases.c
 *   tests         for each: fill, call, copy the outputs, compare; the first wrong one
 *                 ends the judgement                   functional_tests.c, trial.c
 *   "assembled"   emu: ptxas has accepted the submission, and its registers are known
 *                                                                        phases.c
 *   timing        calls of the benchmark, each with inputs of its own, each checked
 *                                                                        timing.c
 *   result        write all of it, tell the daemon, end
 *
 * What the submission did wrong is a struct outcome, and the exit status is 0. What we
 * did wrong is a struct report. It becomes a judge_error in result.json, or exit status 4
 * if that cannot be written. All children die with this process (sandbox.h), and it dies
 * with the daemon.
 *
 * A judgement ends when the daemon has been told of its result. This process ends a
 * little later, because on a GPU the driver needs some 25 ms for each context. Meanwhile
 * the daemon may start the next judgement: nothing of the submission lives any more
 * (leftovers.c), and this process only gives back what it has. It holds a byte of the GPU
 * lock until it has ended, so that nobody measures beside it (gpu_lock.h). The daemon is
 * not told of a failure of ours. It waits for this process to end, since processes of the
 * submission may live until then.
 *
 * With --ahead the arbiter prepares while another submission is judged on the same GPU
 * (gpu_lock.h). If that fails, the reason may be memory that the other judgement has. The
 * arbiter then exits with ARBITER_UNPREPARED, and the daemon starts it again, without
 * --ahead, when the other one has ended.
 *
 * With --soundness the arbiter judges no submission but the problem itself (soundness.h).
 */
#include "arbiter/calling/gpu_lock.h"
#include "arbiter/judging/progress.h"
#include "arbiter/measuring/timing.h"
#include "arbiter/phases.h"
#include "arbiter/soundness/soundness.h"
#include "base/inject.h"
#include "record/job.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES_MAX 32
/* More descriptors than a judgement ever needed. With fewer it still works. */
#define DESCRIPTORS 512

/* Prints a line of JSON for each device. The names come from the driver, and are escaped
 * as strangers' texts are. */
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
        cJSON_AddStringToObject(o, "models", info[i].models);
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

/* Can a line be read, or has the standard input ended? */
static bool
is_awaited(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&in, 1, 0) != 0;
}

/* Writes a result that tells of a failure of ours. */
static int
write_failure(struct judgement *j, const char *folder, const struct report *why,
              struct report *r)
{
    struct result failure = {.verdict = VERDICT_JUDGE_ERROR,
                             .message = (char *)(uintptr_t)why->text,
                             .board = j->result.board,
                             .seed = j->result.seed};

    fprintf(stderr, "%s: judgement %s (seed %s): %s\n", program_invocation_short_name,
            folder, j->result.seed != NULL ? j->result.seed : "not drawn", why->text);
    return result_write(folder, &failure, r);
}

/* Writes the result. `why` says why we failed. It is NULL if the submission was judged,
 * and then the daemon is told of the result. */
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

/* Ends this process after a judgement. On a GPU the driver takes back contexts and memory
 * as the process ends, which is faster than to free one buffer after the other. What
 * waits for the end gets the GPU that much earlier: a judgement that was not prepared, or
 * a second attempt. On the other devices everything is freed, so that a leak shows. */
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

/* Gives everything back without a judgement. Beside another judgement that is a step of
 * the GPU lock, as making the contexts was. */
static void
leave_unjudged(struct judgement *j)
{
    gpu_lock_enter(j->gpu_lock);
    judgement_close(j);
}

/* Returns 1 if there is nothing to judge. After a failure this waits for the daemon's
 * lines too, because without them nobody wants a result. With `ahead` a failure returns
 * at once, since the daemon starts another arbiter then. */
static int
prepare_judgement(struct judgement *j, const char *folder, bool ahead, struct report *r)
{
    int rc = judgement_open(j, folder, ahead, r);

    if (rc == 0 && !is_awaited())
        rc = judgement_wake(j, r);
    if (rc != 0 && ahead)
        return -1;
    if (!progress_wait_for("reference\n"))
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
    if (rc > 0 || !progress_wait_for("go\n")) {
        leave_unjudged(&j);
        return 0;
    }
    if (rc == 0)
        rc = judgement_run(&j, &r);
    if (j.unwanted) {
        leave_unjudged(&j);
        return 0;
    }
    conclude_judgement(&j, folder, rc != 0 ? &r : NULL);
    leave_judged(&j);
    return 0;
}

/* Enlarges the table of descriptors while the process has one thread. With several
 * threads the kernel waits until every CPU has been through the scheduler. In the
 * middle of a judgement that took 9 to 25 ms. */
static void
reserve_descriptors(void)
{
    int last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, DESCRIPTORS - 1);

    if (last >= 0)
        close(last);
}

/* Checks the problem for `warpjudge problem check`. This has no submission, and a result
 * file of its own. */
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
