// links: daemon sandbox common
/* How many pilots are started or cancelled, and what Slurm's commands say. */
#include "daemon/slurm/answer.h"
#include "daemon/slurm/plan.h"
#include "daemon/slurm/script.h"
#include "daemon/slurm/state.h"

#include "base/buf.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- the plan ------------------------------------------------------------ */

static void
plan_of_numbers(void **state)
{
    static const struct {
        struct slurm_facts facts;
        struct slurm_plan plan;
    } CASES[] = {
        {{.limit = 8}, {0}},
        {{.waiting = 1, .limit = 8}, {.start = 1}},
        {{.waiting = 4, .limit = 8}, {.start = 1}},
        {{.waiting = 5, .limit = 8}, {.start = 2}},
        {{.waiting = 400, .limit = 8}, {.start = 8}},
        {{.waiting = 400, .limit = 8, .pending = 1, .running = 4}, {.start = 3}},
        {{.waiting = 8, .limit = 8, .running = 2}, {0}},
        {{.waiting = SIZE_MAX, .limit = 1000}, {.start = SLURM_STARTS_AT_ONCE}},
        /* Nothing waits: what runs ends by itself. */
        {{.limit = 8, .pending = 3, .running = 2}, {.cancel = 3}},
        /* The limit was lowered. */
        {{.waiting = 400, .limit = 4, .pending = 3, .running = 2}, {.cancel = 1}},
        {{.waiting = 400, .limit = 1, .pending = 1, .running = 5}, {.cancel = 1}},
        {{.waiting = 400, .limit = 1, .running = 5}, {0}},
        /* After a failure none is started, and none is taken away. */
        {{.waiting = 400, .limit = 8, .pending = 2, .held = true}, {0}},
        {{.waiting = 400, .limit = 8, .pending = 2, .running = 1, .stopping = true},
         {.cancel = 2}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct slurm_plan got = slurm_plan_make(&CASES[i].facts);

        assert_int_equal(got.start, CASES[i].plan.start);
        assert_int_equal(got.cancel, CASES[i].plan.cancel);
    }
}

/* Whatever the numbers are, there are never more than the limit, and what is started is
 * not cancelled. */
static void
plan_keeps_the_limit(void **state)
{
    (void)state;
    for (size_t waiting = 0; waiting < 40; waiting += 3)
        for (int pending = 0; pending < 12; pending++)
            for (int running = 0; running < 12; running++)
                for (int limit = 1; limit < 12; limit++) {
                    const struct slurm_plan got =
                        slurm_plan_make(&(struct slurm_facts){.waiting = waiting,
                                                              .pending = pending,
                                                              .running = running,
                                                              .limit = limit});

                    assert_true(got.start == 0 || pending + running + got.start <= limit);
                    assert_true(got.start >= 0 && got.cancel >= 0);
                    assert_true(got.start == 0 || got.cancel == 0);
                    assert_true(got.cancel <= pending);
                }
}

/* --- answers ------------------------------------------------------------- */

static void
squeue_lines(void **state)
{
    static const char *const BAD[] = {"",
                                      "|",
                                      "x|RUNNING|n1|token 7|None|name",
                                      "12",
                                      "12|RUNNING|n1|token 7|None",
                                      "0|RUNNING|||None|x",
                                      "12_3|PENDING|||Resources|array",
                                      "99999999999999999999|RUNNING|n1||None|x"};
    struct squeue_job job;
    char text[300];

    (void)state;
    assert_true(squeue_read("12|RUNNING|n1|token 7|None|warpjudge-0a1b2c3d-gpu", &job));
    assert_int_equal(job.id, 12);
    assert_int_equal(job.token, 7);
    assert_string_equal(job.node, "n1");
    assert_string_equal(job.name, "warpjudge-0a1b2c3d-gpu");
    assert_false(squeue_is_pending(&job));
    assert_true(squeue_read("13|PENDING||(null)|Resources|a|b", &job));
    assert_int_equal(job.token, 0);
    assert_string_equal(job.reason, "Resources");
    assert_string_equal(job.name, "a|b");
    assert_true(squeue_is_pending(&job));
    memset(text, 'x', sizeof text);
    memcpy(text, "14|PENDING||token 9x|\xff|", 23);
    text[sizeof text - 1] = '\0';
    assert_true(squeue_read(text, &job));
    assert_string_equal(job.reason, "?");
    assert_int_equal(strlen(job.name), SLURM_WORD_MAX - 1);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_false(squeue_read(BAD[i], &job));
}

static void
sbatch_lines(void **state)
{
    (void)state;
    assert_int_equal(sbatch_read("12"), 12);
    assert_int_equal(sbatch_read("12;cluster"), 12);
    assert_int_equal(sbatch_read("Submitted batch job 12"), 0);
    assert_int_equal(sbatch_read("12 "), 0);
    assert_int_equal(sbatch_read(""), 0);
}

/* What Slurm 22.05 prints of jobs that have ended in these ways, shortened. */
static void
ends_are_told(void **state)
{
    static const struct {
        const char *line;
        enum pilot_fate fate;
        const char *says;
    } CASES[] = {
        {"JobId=5 JobName=x JobState=FAILED Reason=JobLaunchFailure ExitCode=0:53 "
         "ReqNodeList=(null) NodeList=n1",
         PILOT_BAD_NODE, "did not begin: n1 cannot write into /shared"},
        {"JobId=6 JobState=FAILED ExitCode=81:0 NodeList=n1", PILOT_BAD_NODE,
         "did not begin: n1 does not have the pilots' program"},
        {"JobId=6 JobState=FAILED ExitCode=82:0 NodeList=n2", PILOT_BAD_NODE,
         "did not begin: n2 cannot read the token in /shared"},
        {"JobId=6 JobState=FAILED ExitCode=3:0 NodeList=n2", PILOT_BAD_NODE,
         "did not begin: n2 does not reach the judge at `server`: its log is in /shared"},
        {"JobId=6 JobState=FAILED ExitCode=2:0 NodeList=n2", PILOT_FAILED,
         "ended on n2 with status 2: its log is in /shared"},
        {"JobId=6 JobState=NODE_FAIL ExitCode=0:0 NodeList=n2", PILOT_LOST,
         "lost its node (n2)"},
        {"JobId=6 JobState=PREEMPTED ExitCode=0:15 NodeList=n2", PILOT_LOST,
         "was preempted (n2)"},
        {"JobId=6 JobState=TIMEOUT ExitCode=0:15 NodeList=n2", PILOT_LOST,
         "reached its time limit (n2)"},
        {"JobId=6 JobState=CANCELLED ExitCode=0:0 NodeList=(null)", PILOT_WELL,
         "was cancelled"},
        {"JobId=6 JobState=REVOKED ExitCode=0:0 NodeList=n2", PILOT_LOST,
         "ended as REVOKED"},
    };
    struct slurm_end end;
    char *text;

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_true(scontrol_read(CASES[i].line, &end));
        assert_int_equal(slurm_end_say(&end, "/shared", &text), CASES[i].fate);
        assert_string_equal(text, CASES[i].says);
        free(text);
    }
    assert_false(scontrol_read("slurm_load_jobs error: Invalid job id specified", &end));
    assert_false(scontrol_read("JobId=5 JobState=FAILED ExitCode=x NodeList=n1", &end));
    assert_true(sacct_read("CANCELLED by 1000|0:15|None assigned", &end));
    assert_string_equal(end.state, "CANCELLED");
    assert_string_equal(end.node, "");
    assert_true(sacct_read("NODE_FAIL|1:0|n7", &end));
    assert_string_equal(end.node, "n7");
    assert_int_equal(end.status, 1);
    assert_false(sacct_read("Slurm accounting storage is disabled", &end));
    assert_false(sacct_read("FAILED|1:0", &end));
    assert_true(sacct_read("CANCELLED by 0|0:0|n1", &end) && slurm_end_is_known(&end));
    assert_true(sacct_read("RUNNING|0:0|n2", &end) && !slurm_end_is_known(&end));
    assert_true(
        sacct_is_disabled("sacct ended with status 1: Slurm accounting storage is "
                          "disabled"));
    assert_false(sacct_is_disabled("sacct ended with status 1: Connection refused"));
}

/* A pilot whose end is not known is asked for once after each look, and not for ever. */
static void
late_pilots_are_kept(void **state)
{
    struct slurm s = {.looked_ns = 1};
    struct pilot dropped = {0}, out = {0};

    (void)state;
    assert_true(late_keep(&s, (struct pilot){.id = 1}, &dropped));
    assert_int_equal(dropped.id, 0);
    assert_false(late_take(&s, &out)); /* it was asked for since the look */
    s.looked_ns = now_ns() + 1;
    assert_true(late_take(&s, &out));
    assert_int_equal(out.id, 1);
    assert_true(out.gone_ns > 0);
    assert_false(late_take(&s, &out));
    out.gone_ns = now_ns() - 601 * (uint64_t)1000000000;
    assert_false(late_keep(&s, out, &dropped));
    for (int i = 0; i <= SLURM_LATE; i++) {
        assert_true(late_keep(&s, (struct pilot){.id = 10 + i}, &dropped));
        assert_int_equal(dropped.id, i < SLURM_LATE ? 0 : 10);
    }
    assert_int_equal(s.late_count, SLURM_LATE);
}

/* --- settings, and what is made of them ---------------------------------- */

static int
settings_read(struct slurm_settings *s, const char *const *lines, int *number,
              struct report *r)
{
    for (int i = 0; lines[i] != NULL; i++) {
        char key[64] = "";
        const char *equals = strstr(lines[i], " = ");
        int rc;

        *number = i + 1;
        if (equals != NULL)
            memcpy(key, lines[i], (size_t)(equals - lines[i]));
        rc =
            lines[i][0] == '['
                ? slurm_settings_section(s, lines[i], i + 1, r)
                : slurm_settings_take(s, key, equals != NULL ? equals + 3 : "", i + 1, r);
        if (rc != 0)
            return rc;
    }
    return slurm_settings_complete(s, number, r);
}

static void
script_and_words(void **state)
{
    static const char *const LINES[] = {
        "[slurm]",
        "server = https://judge:8080",
        "shared = /shared",
        "user = ada",
        "[slurm gpu]",
        "board = NVIDIA H200",
        "arch = sm_90a",
        "partition = main",
        "gres = gpu:h200:1",
        "account = class",
        "constraint = fast&new",
        "options = --qos=low  --mem=16G --time-min=5 -Oswa1 --nodes=1 -N1 --ntasks=1 -n1 "
        "--nodelist=n3 --ntasks-per-core=1 -H",
        "time = 30",
        "container = apptainer exec --nv /shared/judge.sif",
        NULL};
    static const char WORDS[] =
        "--parsable --job-name=warpjudge-1-gpu --comment=token 7 "
        "--output=/shared/w/pilot-%j.log --no-requeue --chdir=/ --export=NONE --nodes=1 "
        "--ntasks=1 --time=30 --partition=main --gres=gpu:h200:1 --account=class "
        "--constraint=fast&new --exclude=n1,n2 --qos=low --mem=16G --time-min=5 -Oswa1 "
        "--nodes=1 -N1 --ntasks=1 -n1 --nodelist=n3 --ntasks-per-core=1 -H "
        "/shared/w/gpu.sh";
    struct slurm_settings s = {0};
    struct words words = {0};
    struct buf text = {0}, joined = {0};
    struct report r = {0};
    int number = 0;

    (void)state;
    assert_int_equal(settings_read(&s, LINES, &number, &r), 0);
    assert_string_equal(s.group[0].device, "cuda:0");
    assert_int_equal(s.group[0].pilots, 4);
    pilot_words(&s.group[0],
                &(struct pilot_job){.name = "warpjudge-1-gpu",
                                    .folder = "/shared/w",
                                    .script = "/shared/w/gpu.sh",
                                    .exclude = "n1,n2",
                                    .token = 7},
                &words);
    for (size_t i = 0; i < words.count; i++)
        buf_printf(&joined, "%s%s", i > 0 ? " " : "", words.word[i]);
    assert_string_equal(buf_str(&joined), WORDS);
    pilot_script(&s, &s.group[0], "/opt/bin/warpjudge", "/shared/w/token-7", &text);
    assert_non_null(strstr(buf_str(&text),
                           "\nexec apptainer exec --nv /shared/judge.sif \"$program\" "
                           "worker --server 'https://judge:8080' --token-file \"$token\" "
                           "--device 'cuda:0' --idle-s 60 --until \"$end\"\n"));
    assert_null(strstr(buf_str(&text), "test -x")); /* the container has its own */
    pilot_script(&s, &s.group[0], "/opt/it's/bin/warpjudge", "/shared/w/token-7", &text);
    assert_non_null(
        strstr(buf_str(&text), "\nprogram='/opt/it'\\''s/bin/warpjudge'\ntoken='"));
    assert_false(slurm_settings_compile(&s));
    words_free(&words);
    buf_free(&joined);
    buf_free(&text);
    slurm_settings_free(&s);
}

#define HEAD "[slurm]", "server = https://j:1", "shared = /s", "user = ada"
#define EMU "[slurm a]", "board = emu"
/* The compilers of one group stand in its script, and all have a place in the token. */
static void
pilots_with_compilers(void **state)
{
    const char *lines[] = {HEAD,          "[slurm two]", "board = H",     "arch = sm_90a",
                           "gpus = 2",    "pilots = 3",  "compilers = 5", "[slurm none]",
                           "board = emu", "pilots = 7",  "compilers = 0", NULL};
    struct slurm_settings s = {0};
    struct buf two = {0}, none = {0};
    struct report r = {0};
    int number = 0;

    (void)state;
    if (settings_read(&s, lines, &number, &r) != 0)
        fail_msg("%s", r.text);
    pilot_script(&s, &s.group[0], "/bin/w", "/s/token-7", &two);
    assert_non_null(strstr(buf_str(&two), "--device 'cuda:0' --device 'cuda:1' "
                                          "--compilers 5 --idle-s 60 --until"));
    pilot_script(&s, &s.group[1], "/bin/w", "/s/token-7", &none);
    assert_non_null(strstr(buf_str(&none), "--device 'emu' --idle-s 60 --until"));
    assert_true(slurm_settings_compile(&s));
    assert_int_equal(slurm_settings_workers(&s), 3 * (2 + 5) + 7);
    buf_free(&two);
    buf_free(&none);
    slurm_settings_free(&s);
}

#define PAIR "[slurm a]", "board = H", "arch = sm_90a", "gpus = 2"

/* An amount of GPUs that is the pilot's own may be said in any way. */
static void
options_may_say_the_pilots_gpus(void **state)
{
    static const char *const ONE =
        "options = --gres=gpu --gres=gpu:h100:1 --gres=gres:gpu:1,lic:4 --gres=lic:4 "
        "--gres=gpus_of_old:2 --gres-flags=enforce-binding -G1 -HGh100:1 --gpus=1 "
        "--gpus-per-node=1 --gpu-bind=none --cpus-per-gpu=8 "
        "--cpus-per-task=8";
    static const char *const TWO =
        "options = -G2 --gpus=h100:2 --gpus=a:1,b:1 --gpus-per-node=2 --gpus-per-task=2 "
        "--gpus-per-socket=2 --tres-per-task=cpu=4,gres/gpu=2 --gres=gpu:2,lic:1";
    const char *one[] = {HEAD, EMU, ONE, "gres = gpu:h200", NULL};
    const char *two[] = {HEAD, PAIR, TWO, "gres = gpu:h200:2", NULL};
    const char *const *const all[] = {one, two};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct slurm_settings s = {0};
        struct report r = {0};
        int number = 0;

        if (settings_read(&s, all[i], &number, &r) != 0)
            fail_msg("%s", r.text);
        slurm_settings_free(&s);
    }
}

struct bad_settings {
    const char *lines[10];
    int line;
    const char *says;
};

static void
assert_refused(const struct bad_settings *bad, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct slurm_settings s = {0};
        struct report r = {0};
        int number = 0;

        assert_int_equal(settings_read(&s, bad[i].lines, &number, &r), -1);
        if (strstr(r.text, bad[i].says) == NULL)
            print_error("%s\n", r.text);
        assert_non_null(strstr(r.text, bad[i].says));
        assert_int_equal(number, bad[i].line);
        slurm_settings_free(&s);
    }
}

static void
bad_settings_are_one_sentence(void **state)
{
    static const struct bad_settings CASES[] = {
        {{"[server]"}, 1, "there are no sections but [slurm] and [slurm NAME]"},
        {{"[slurm gpu]"}, 1, "[slurm] must stand before"},
        {{"[slurm]", "[slurm]"}, 2, "stands in line 1 already"},
        {{"[slurm]", "[slurm GPU]"}, 2, "the name has small letters"},
        {{"[slurm]", "[slurm gpu"}, 2, "the name has small letters"},
        {{"[slurm]", "[slurm ]"}, 2, "the name has small letters"},
        {{"[slurm]", "server = ftp://x"}, 2, "it must be a URL"},
        {{"[slurm]", "server = http://x' y"}, 2, "it must be a URL"},
        {{"[slurm]", "server = http://judge:8080"}, 2, "it must be https://"},
        {{"[slurm]", "server = http://localhost.x"}, 2, "it must be https://"},
        {{"[slurm]", "server = http://127.0.0.1@x"}, 2, "it must be https://"},
        {{"[slurm]", "shared = here"}, 2, "it must begin with /"},
        {{"[slurm]", "shared = /a%j"}, 2, "it must begin with /"},
        {{"[slurm]", "sharde = /a"}, 2, "did you mean shared?"},
        {{"[slurm]", "partition = a"}, 2, "[slurm] has no key partition"},
        {{"[slurm]", "poll = 0"}, 2, "from 1 to 600"},
        {{"[slurm]", "poll ="}, 2, "has no key"},
        {{"[slurm]", "shared = /s"}, 1, "[slurm] needs the key server"},
        {{HEAD}, 1, "[slurm] alone starts no pilot"},
        {{HEAD, "[slurm a]"}, 5, "[slurm a] needs the key board"},
        {{HEAD, "[slurm a]", "board = NVIDIA H200"}, 5, "[slurm a] needs the key arch"},
        {{HEAD, "[slurm a]", "arch = sm_9x"}, 6, "it must be an architecture"},
        {{HEAD, "[slurm a]", "[slurm a]"}, 6, "[slurm a] stands in line 5 already"},
        {{HEAD, "[slurm a]", "board = emu", "board = emu"}, 7, "line 6 already"},
        {{HEAD, "[slurm a]", "device = it's"}, 6, "this is no device's name"},
        {{HEAD, "[slurm a]", "pilots = 1001"}, 6, "from 1 to 1000"},
        {{HEAD, "[slurm a]", "compilers = 33"}, 6, "compiles at a time, from 0 to 32"},
        {{HEAD, "[slurm a]", "compilers = -1"}, 6, "compiles at a time, from 0 to 32"},
        {{HEAD, "[slurm a]", "compilers = all"}, 6, "compiles at a time, from 0 to 32"},
        {{HEAD, "compilers = 4"}, 5, "[slurm] has no key compilers"},
        {{HEAD, "[slurm a]", "time = 1h"}, 6, "a number of minutes"},
        {{HEAD, "[slurm a]", "time = 1"}, 6, "a number of minutes, from 2 to"},
        {{HEAD, "[slurm a]", "options = --qos low"}, 6, "is one word"},
        {{HEAD, "[slurm a]", "options = --job-name=x"}, 6, "the judge says this option"},
        {{HEAD, "[slurm a]", "options = -a1-9"}, 6, "the judge says this option"},
        {{HEAD, "[slurm a]", "options = --com=x"}, 6, "option itself, --comment"},
        {{HEAD, "[slurm a]", "options = --qos=a --job=x"},
         6,
         "option itself, --job-name"},
        {{HEAD, "[slurm a]", "options = --wr=x"}, 6, "option itself, --wrap"},
        {{HEAD, "[slurm a]", "options = --test"}, 6, "option itself, --test-only"},
        {{HEAD, "[slurm a]", "options = -HJx"}, 6, "option itself, -J"},
        {{HEAD, "[slurm a]", "options = --nodes=2"}, 6, "no --nodes but --nodes=1"},
        {{HEAD, "[slurm a]", "options = --qos=a --nod=2"}, 6, "... --nod=2: a pilot is"},
        {{HEAD, "[slurm a]", "options = --nodes=1-2"}, 6, "no --nodes but --nodes=1"},
        {{HEAD, "[slurm a]", "options = --nodes"}, 6, "no --nodes but --nodes=1"},
        {{HEAD, "[slurm a]", "options = -N 2"}, 6, "... -N: a pilot is one worker"},
        {{HEAD, "[slurm a]", "options = -N2"}, 6, "no -N but -N1"},
        {{HEAD, "[slurm a]", "options = -HN2"}, 6, "no -N but -N1"},
        {{HEAD, "[slurm a]", "options = --ntasks=2"}, 6, "no --ntasks but --ntasks=1"},
        {{HEAD, "[slurm a]", "options = --nt=2"}, 6, "no --ntasks but --ntasks=1"},
        {{HEAD, "[slurm a]", "options = -n 2"}, 6, "... -n: a pilot is one worker"},
        {{HEAD, "[slurm a]", "options = -n16"}, 6, "no -n but -n1"},
        {{HEAD, "[slurm a]", "options = --"}, 6, "is one word"},
        {{HEAD, "[slurm a]", "options = --=x"}, 6, "is one word"},
        {{HEAD, "[slurm a]", "options = -"}, 6, "is one word"},
    };

    (void)state;
    assert_refused(CASES, sizeof CASES / sizeof *CASES);
}

/* However a number of GPUs is asked for. */
static void
other_numbers_of_gpus_are_refused(void **state)
{
    static const struct bad_settings CASES[] = {
        {{HEAD, EMU, "options = --gres=gpu:2"},
         7,
         "--gres=gpu:2: it asks for 2 GPUs, "
         "and a pilot of this group has gpus "
         "= 1"},
        {{HEAD, EMU, "options = --gres=gpu:h100:2"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = --gres gpu:h100:2"}, 7, "is one word"},
        {{HEAD, EMU, "options = --gres"}, 7, "no number of GPUs can be read"},
        {{HEAD, EMU, "options = --gres=lic:1,gpu:a:1,gpu:b:1"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = --gres=gres:gpu:2"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = --gres=gpu:2k"}, 7, "no number of GPUs can be read"},
        {{HEAD, EMU, "options = --tres-per-task=cpu:2,gres/gpu:2"}, 7, "for 2 GPUs"},
        {{HEAD, EMU, "options = --gpus=2"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = --gpus=h100:1,a100:1"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = --gpus=0"}, 7, "asks for 0 GPUs"},
        {{HEAD, EMU, "options = --gpus"}, 7, "no number of GPUs can be read"},
        {{HEAD, EMU, "options = --gpus=99999999999999999999"}, 7, "no number of GPUs"},
        {{HEAD, EMU, "options = -G2"}, 7, "-G2: it asks for 2 GPUs"},
        {{HEAD, EMU, "options = -HGh100:2"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = -G 2"}, 7, "... 2: an option begins with - and is one"},
        {{HEAD, EMU, "options = --gpus-per-node=2"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = --gpus-per-t=h100:2"}, 7, "asks for 2 GPUs"},
        {{HEAD, EMU, "options = --gpus-per-socket=2", "pilots = 2"}, 7, "for 2 GPUs"},
        {{HEAD, EMU, "gres = gpu:2"}, 7, "gres = gpu:2: it asks for 2 GPUs, and a pilot"},
        {{HEAD, PAIR, "options = -G1"},
         9,
         "asks for 1 GPU, and a pilot of this group "
         "has gpus = 2"},
        {{HEAD, PAIR, "gres = gpu:h200"}, 9, "asks for 1 GPU, and a pilot"},
    };

    (void)state;
    assert_refused(CASES, sizeof CASES / sizeof *CASES);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_of_numbers),
        cmocka_unit_test(plan_keeps_the_limit),
        cmocka_unit_test(squeue_lines),
        cmocka_unit_test(sbatch_lines),
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(late_pilots_are_kept),
        cmocka_unit_test(script_and_words),
        cmocka_unit_test(pilots_with_compilers),
        cmocka_unit_test(options_may_say_the_pilots_gpus),
        cmocka_unit_test(bad_settings_are_one_sentence),
        cmocka_unit_test(other_numbers_of_gpus_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
