/*
 * warpjudge-arbiter makes a judgement. It takes a folder and leaves one result file in it
 * (record/job.h). With --stay it makes one judgement after another (stay.h).
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
 *   "go"          the submission is compiled, and the one before it is done; "follow"
 *                 where that is only measured
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
 * submission may live until then. An arbiter that follows this one, which has measured
 * by then, finds by the lock how it has ended.
 *
 * With --ahead the arbiter prepares while another submission is judged on the same GPU
 * (gpu_lock.h). If that fails, the reason may be memory that the other judgement has. The
 * arbiter then exits with ARBITER_UNPREPARED, and the daemon starts it again, without
 * --ahead, when the other one has ended.
 *
 * With --stay the process does not end after a judgement, but gives back what it has, and
 * says so. It then reads which folder comes next. It ends where anything was odd.
 *
 * With --soundness the arbiter judges no submission but the problem itself (soundness.h).
 */
#include "arbiter/soundness/soundness.h"
#include "arbiter/stay.h"
#include "arbiter/submission.h"
#include "device/device.h"
#include "record/job.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
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

static int
judge_once(const char *folder, bool ahead)
{
    (void)judge_submission(folder, ahead, NULL);
    return 0;
}

/* How many an arbiter that stays may judge, or 0 where that is no number. */
static int
parse_most(const char *text)
{
    char *end;
    const long n = strtol(text, &end, 10);

    return *end == '\0' && n > 0 && n <= ARBITER_STAYS_MAX ? (int)n : 0;
}

int
main(int argc, char **argv)
{
    reserve_descriptors();
    if (argc == 2 && strcmp(argv[1], "--devices") == 0)
        return print_devices();
    if (argc == 3 && strcmp(argv[1], "--soundness") == 0)
        return check_problem(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--stay") == 0 && parse_most(argv[2]) > 0)
        return stay_and_judge(parse_most(argv[2]));
    if (argc == 3 && strcmp(argv[1], "--ahead") == 0)
        return judge_once(argv[2], true);
    if (argc != 2 || argv[1][0] == '-')
        die(2, "usage: warpjudge-arbiter [--ahead] JOBDIR | --stay N | "
               "--soundness JOBDIR | --devices");
    return judge_once(argv[1], false);
}
