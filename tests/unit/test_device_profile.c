// links: arbiter device gpu_owner sandbox common submission
/*
 * Profiles as on a GPU, on the device "host": the way of one call into the sandbox of
 * NVIDIA's tools, and of what they say out of it. The tools are played by scripts, which
 * print what tests/golden/nvidia has of real ones. The script itself looks at what it
 * finds in the sandbox.
 */
#include "../fixtures/folder.h"
#include "../fixtures/submission.h"

#include "arbiter/phases.h"

#include "base/base64.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ELEMENTS 1000
#define NCU "cuda/nsight-compute-2025.9/target/linux-desktop-glibc_2_11_3-x64/ncu"
#define SANITIZER "cuda/compute-sanitizer/compute-sanitizer"

/* It makes a report only where it finds a call and no way out. */
static const char ncu[] =
    "#!/bin/sh\n"
    "here=$(dirname \"$0\")\n"
    "case \"$*\" in\n"
    "*--import*raw*) [ \"$(cat /report/made.ncu-rep)\" = made ] && cat $here/raw.csv;;\n"
    "*--import*source*) cat $here/lines.csv;;\n"
    "*)\n"
    "  [ \"$(stat -c %s /call/0 /call/2 | tr '\\n' ' ')\" = '4000 4000 ' ] || exit 1\n"
    "  [ -s /call/call ] && [ -s /call/submission ] && [ -x /runner ] || exit 2\n"
    "  [ ! -e /proc/self/fd/3 ] && [ ! -e /proc/self/fd/4 ] || exit 3\n"
    "  touch /call/x 2>/dev/null && exit 4\n"
    "  case \"$*\" in *smsp__inst_executed.sum*'/runner alone /call') ;; *) exit 5;; "
    "esac\n"
    "  echo made >/tmp/profile.ncu-rep;;\n"
    "esac\n";
static const char closed[] =
    "#!/bin/sh\n"
    "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access'\n"
    "exit 1\n";
static const char sanitizer[] = "#!/bin/sh\n"
                                "[ -s /call/0 ] || exit 1\n"
                                "[ \"$2\" != synccheck ] || exit 1\n"
                                "cat $(dirname \"$0\")/$2.txt\n";

/* FOLDER/NAME, which may be run. */
static void
write_program(const char *name, const char *text)
{
    char *path = folder_path(name);

    folder_write(name, text);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

static void
copy_golden(const char *name, const char *beside)
{
    char *from = xasprintf("tests/golden/nvidia/%s", name), *path = folder_path(beside);
    char *to = xasprintf("%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
    struct report r = {0};

    if (file_copy_bytes(from, to, &r) != 0)
        fail_msg("%s", r.text);
    free(from);
    free(path);
    free(to);
}

static int
set_up(void **state)
{
    char *nvcc;

    if (submission_set_up(state) != 0)
        return -1;
    submission_job("host", 1);
    submission_add("submission", "", SUM);
    folder_write("submission.cu", "a\nb\n");
    folder_write("cuda/bin/nvcc.profile", "");
    write_program("cuda/bin/nvcc", "#!/bin/sh\n");
    nvcc = folder_path("cuda/bin/nvcc");
    setenv("WARPJUDGE_NVCC", nvcc, 1);
    free(nvcc);
    return 0;
}

static void
judge(struct judgement *j, enum profile profile)
{
    struct report r = {0};

    if (judgement_open(j, folder, false, NULL, &r) != 0 || judgement_prepare(j, &r) != 0)
        fail_msg("%s", r.text);
    j->job.profile = profile;
    j->problem->benchmark_cuda.scalar[3] = ELEMENTS;
    j->problem->benchmark_cuda.exact[3] = ELEMENTS;
    j->problem->benchmark_emu = j->problem->benchmark_cuda;
    if (judgement_run(j, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(j->result.verdict, VERDICT_ACCEPTED);
    assert_false(j->result.timing.present);
}

static cJSON *
counters_of(const struct judgement *j)
{
    assert_non_null(j->result.counters);
    return cJSON_Parse(j->result.counters);
}

static void
expect_failure(const char *says)
{
    struct judgement j;
    cJSON *o;
    const char *failed;

    judge(&j, PROFILE_COSTS);
    o = counters_of(&j);
    failed = cJSON_GetStringValue(cJSON_GetObjectItem(o, "failed"));
    if (failed == NULL || strstr(failed, says) == NULL)
        fail_msg("%s", j.result.counters);
    assert_null(j.result.arrays);
    cJSON_Delete(o);
    judgement_close(&j);
}

static void
without_ncu_an_admin_is_told(void **state)
{
    (void)state;
    expect_failure("Nsight Compute is not installed");
}

static void
closed_counters_are_explained(void **state)
{
    (void)state;
    write_program(NCU, closed);
    expect_failure("NVreg_RestrictProfilingToAdminUsers=0");
}

static void
a_profile_has_kernels_and_a_report(void **state)
{
    char *call = folder_path("profile-call");
    struct judgement j;
    struct buf bytes = {0};
    struct stat st;
    cJSON *o, *arrays;

    (void)state;
    write_program(NCU, ncu);
    copy_golden("raw.csv", NCU);
    copy_golden("lines.csv", NCU);
    judge(&j, PROFILE_COSTS);
    o = counters_of(&j);
    if (cJSON_GetArraySize(cJSON_GetObjectItem(o, "kernels")) != 1)
        fail_msg("%s", j.result.counters);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(o, "sizes")), "N=1000");
    arrays = cJSON_Parse(j.result.arrays);
    assert_true(base64_read(&bytes, cJSON_GetStringValue(cJSON_GetObjectItem(
                                        cJSON_GetArrayItem(arrays, 0), "data"))));
    assert_string_equal(buf_str(&bytes), "made\n");
    assert_int_not_equal(stat(call, &st), 0);
    cJSON_Delete(arrays);
    cJSON_Delete(o);
    buf_free(&bytes);
    free(call);
    judgement_close(&j);
}

static void
what_sanitizers_find_are_notices(void **state)
{
    static const char *const tools[] = {"memcheck", "racecheck", "initcheck"};
    struct judgement j;
    cJSON *o, *told, *notices;

    (void)state;
    write_program(SANITIZER, sanitizer);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        char *name = xasprintf("%s.txt", tools[i]);

        copy_golden(name, SANITIZER);
        free(name);
    }
    judge(&j, PROFILE_SANITIZE);
    o = counters_of(&j);
    told = cJSON_GetObjectItem(o, "sanitizers");
    assert_int_equal(cJSON_GetArraySize(told), 4);
    assert_true(cJSON_GetNumberValue(
                    cJSON_GetObjectItem(cJSON_GetArrayItem(told, 0), "errors")) == 388);
    assert_non_null(cJSON_GetObjectItem(cJSON_GetArrayItem(told, 3), "failed"));
    notices = cJSON_Parse(j.result.notices);
    assert_int_equal(cJSON_GetArraySize(notices), 3); /* two errors of a line are one */
    assert_string_equal(
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(notices, 1), "kind")),
        "race");
    cJSON_Delete(notices);
    cJSON_Delete(o);
    judgement_close(&j);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_ncu_an_admin_is_told),
        cmocka_unit_test(closed_counters_are_explained),
        cmocka_unit_test(a_profile_has_kernels_and_a_report),
        cmocka_unit_test(what_sanitizers_find_are_notices),
    };

    return cmocka_run_group_tests(tests, set_up, folder_remove);
}
