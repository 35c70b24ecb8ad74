// links: nvidia_text common
/* What Nsight Compute and compute-sanitizer print: tests/golden/nvidia has what they said
 * of two kernels on an H100 (docs/measurements/profiling.md). Everything in it may also
 * be forged, since the program that they look at prints to the same pipe. */
#include "arbiter/profiling/csv_table.h"
#include "arbiter/profiling/ncu_kernels.h"
#include "arbiter/profiling/ncu_refusal.h"
#include "arbiter/profiling/sanitizer_text.h"
#include "base/file.h"
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/golden/nvidia/"
#define GOLDEN_MAX ((size_t)1 << 20)

static struct buf
golden(const char *name)
{
    char *path = xasprintf(GOLDEN "%s", name);
    struct report r = {0};
    struct buf text = {0};

    if (file_read(path, GOLDEN_MAX, &text, &r) != 0)
        fail_msg("%s", r.text);
    free(path);
    return text;
}

static struct csv_table *
table_of(const char *text)
{
    return csv_table_read(text, strlen(text));
}

/* --- tables ----------------------------------------------------------------- */

static void
messages_are_no_rows_and_quotes_may_be_in_cells(void **state)
{
    struct csv_table *t = table_of("==PROF== Connected\n"
                                   "\"a\",\"b \"\"c\"\", d\"\n"
                                   "==WARNING== \"x\"\n"
                                   "\"1,234.5\",\"\",\"two\nlines\"\n"
                                   "\"cut");
    size_t column = 0;

    (void)state;
    assert_int_equal(csv_table_rows(t), 2);
    assert_string_equal(csv_table_cell(t, 0, 1), "b \"c\", d");
    assert_int_equal(csv_table_columns(t, 1), 3);
    assert_string_equal(csv_table_cell(t, 1, 2), "two\nlines");
    assert_true(csv_table_number(t, 1, 0) == 1234.5);
    assert_true(isnan(csv_table_number(t, 1, 1)));
    assert_string_equal(csv_table_cell(t, 7, 7), "");
    assert_true(csv_table_find(t, 0, "b \"c\", d", &column));
    assert_int_equal(column, 1);
    column = 0;
    assert_false(csv_table_find(t, 0, "b", &column));
    csv_table_free(t);
}

static void
only_numbers_are_numbers(void **state)
{
    static const char *const NONE[] = {"nan", "inf", "0x10", "1e999", "-", "1 2", "1-2"};

    (void)state;
    for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++) {
        char *text = xasprintf("\"%s\"\n", NONE[i]);
        struct csv_table *t = table_of(text);

        assert_true(isnan(csv_table_number(t, 0, 0)));
        csv_table_free(t);
        free(text);
    }
}

/* --- kernels ---------------------------------------------------------------- */

static double
number(const cJSON *o, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

    if (!cJSON_IsNumber(item))
        fail_msg("there is no number %s", name);
    return item->valuedouble;
}

static const char *
text_of(const cJSON *o, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, name));

    if (text == NULL)
        fail_msg("there is no text %s", name);
    return text;
}

static cJSON *
kernels_of(const char *raw_text, const char *lines_text)
{
    struct csv_table *raw = table_of(raw_text);
    struct csv_table *lines = lines_text != NULL ? table_of(lines_text) : NULL;
    struct buf source = {0};
    cJSON *list;

    for (int i = 1; i < 25; i++)
        buf_puts(&source, "\n");
    buf_puts(&source, "    sum += a[ty][t] * b[t][tx];\n");
    list = ncu_kernels_read(raw, lines, "mm3.cu", buf_str(&source));
    buf_free(&source);
    csv_table_free(raw);
    csv_table_free(lines);
    return list;
}

static cJSON *
golden_kernels(void)
{
    struct buf raw = golden("raw.csv"), lines = golden("lines.csv");
    cJSON *list = kernels_of(buf_str(&raw), buf_str(&lines));

    buf_free(&raw);
    buf_free(&lines);
    return list;
}

static void
a_kernel_has_what_was_measured(void **state)
{
    cJSON *list = golden_kernels();
    const cJSON *k = cJSON_GetArrayItem(list, 0), *o, *limits, *states;

    (void)state;
    assert_int_equal(cJSON_GetArraySize(list), 1);
    assert_string_equal(text_of(k, "name"), "multiply");
    assert_string_equal(text_of(k, "bound"), "L1");
    assert_true(number(k, "ns") == 50492768);
    assert_true(number(k, "blocks") == 131072 && number(k, "warps") == 1048576);
    assert_true(number(k, "shared_bytes") == 2048 && number(k, "registers") == 32);
    o = cJSON_GetObjectItemCaseSensitive(k, "occupancy");
    limits = cJSON_GetObjectItemCaseSensitive(o, "limits");
    assert_true(number(o, "blocks") == 8 && number(o, "warps_of_sm") == 64);
    assert_true(fabs(number(o, "achieved_warps") - 63.81) < 1e-9);
    assert_true(number(limits, "shared_memory") == 21 && number(limits, "blocks") == 32);
    /* Loads and stores; a warp's request of 32 floats has four sectors. */
    assert_true(number(k, "global_requests") == 806354944);
    assert_true(number(k, "global_sectors") == 4 * number(k, "global_requests"));
    assert_true(number(k, "global_load_bytes") == 103079215104);
    assert_true(number(k, "shared_wavefronts") - number(k, "shared_ideal") == 53554195);
    assert_null(cJSON_GetObjectItemCaseSensitive(k, "fp32_flops"));
    o = cJSON_GetObjectItemCaseSensitive(k, "bounds_ns");
    assert_true(fabs(number(o, "DRAM") / number(k, "ns") - 0.3053) < 1e-9);
    assert_true(fabs(number(o, "LATENCY") / number(k, "ns") - (1 - 0.9357)) < 1e-3);
    states = cJSON_GetObjectItemCaseSensitive(k, "warp_states");
    assert_string_equal(states->child->string, "waits for memory");
    assert_true(fabs(states->child->valuedouble - 12.28) < 1e-9);
    cJSON_Delete(list);
}

static void
lines_have_their_share_and_what_warps_wait_for(void **state)
{
    cJSON *list = golden_kernels();
    const cJSON *lines =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, 0), "lines");
    const cJSON *first = cJSON_GetArrayItem(lines, 0);
    const cJSON *second = cJSON_GetArrayItem(lines, 1), *line;
    double share = 0;

    (void)state;
    cJSON_ArrayForEach(line, lines) share += number(line, "share");
    assert_true(fabs(share - 1) < 1e-9);
    assert_int_equal(number(first, "line"), 25);
    assert_string_equal(text_of(first, "text"), "sum += a[ty][t] * b[t][tx];");
    assert_true(number(first, "shared_requests") == 20 * 402653184.0);
    assert_true(number(first, "global_requests") == 0);
    assert_int_equal(number(second, "line"), 22);
    assert_true(number(second, "global_requests") == 402653184);
    assert_true(number(second, "global_sectors") == 4 * 402653184.0);
    assert_string_equal(text_of(second, "why"),
                        "in 76 % of the samples a warp here waits for memory");
    assert_string_equal(text_of(second, "topic"), "latency");
    cJSON_Delete(list);
}

/* Two launches of one kernel are one kernel, and templates are named as on emu. */
static void
launches_of_a_kernel_are_added_up(void **state)
{
    static const char RAW[] =
        "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"launch__grid_size\"\n"
        "\"\",\"\",\"ns\",\"\"\n"
        "\"0\",\"void ns::add<float>(T1 *, int (*)(int))\",\"1,000\",\"3\"\n"
        "\"1\",\"other(void)\",\"5,000\",\"1\"\n"
        "\"2\",\"void ns::add<float>(T1 *, int (*)(int))\",\"2,000\",\"4\"\n";
    cJSON *list = kernels_of(RAW, NULL);
    const cJSON *k = cJSON_GetArrayItem(list, 1);

    (void)state;
    assert_int_equal(cJSON_GetArraySize(list), 2);
    assert_string_equal(text_of(cJSON_GetArrayItem(list, 0), "name"), "other");
    assert_string_equal(text_of(k, "name"), "ns::add<float>");
    assert_true(number(k, "ns") == 3000 && number(k, "blocks") == 7);
    assert_true(number(k, "launches") == 2);
    cJSON_Delete(list);
}

/* Whatever the submission writes there, it is a list of kernels. */
static void
forged_tables_do_no_harm(void **state)
{
    static const char *const RAWS[] = {
        "", "\"", "\"Kernel Name\"\n\"\"\n\"x\x1b[2J\"\n",
        "\"Kernel Name\",\"gpu__time_duration.sum\",\"launch__block_size\"\n\"\",\"\"\n"
        "\")))\",\"-1e300\",\"9e99\"\n\"(\",\"1e300\",\"4294967296\"\n\"\"\n"};
    static const char LINES[] =
        "\"Function Name\",\"x\"\n\"7\",\"early\"\n\"Line No\",\"# Samples\"\n"
        "\"-1\",\"9\"\n\"1e9\",\"9\"\n\"3\"\n\"File Path\"\n\"Function Name\"\n";

    (void)state;
    for (size_t i = 0; i < sizeof RAWS / sizeof *RAWS; i++) {
        cJSON *list = kernels_of(RAWS[i], LINES);
        char *text = cJSON_PrintUnformatted(list);

        assert_true(cJSON_IsArray(list));
        assert_null(strchr(text, '\x1b'));
        assert_null(strstr(text, "\\u001b"));
        free(text);
        cJSON_Delete(list);
    }
}

/* Names of a submission's own (#line) may have any characters, and any length. */
static void
names_are_cut_between_characters(void **state)
{
    struct buf long_name = {0};

    (void)state;
    for (int i = 0; i < 200; i++)
        buf_puts(&long_name, "\xc3\xa9");
    for (int odd = 0; odd < 2; odd++) {
        const char *name = buf_str(&long_name), *before = odd ? "x" : "";
        char *raw = xasprintf("\"Kernel Name\",\"smsp__inst_executed.sum\"\n\"\",\"\"\n"
                              "\"%s%s\",\"5\"\n\"%s%s\",\"5\"\n",
                              before, name, before, name);
        char *lines = xasprintf("\"File Path\",\"/%s%s\"\n\"Function Name\",\"%s%s\"\n"
                                "\"Line No\",\"Instructions Executed\"\n\"7\",\"5\"\n",
                                before, name, before, name);
        char *error = xasprintf("========= Invalid read\n"
                                "=========     at f()+0x1b0 in %s%s:9\n",
                                before, name);
        cJSON *list = kernels_of(raw, lines);
        char *json = cJSON_PrintUnformatted(list);
        const char *at = error;
        struct fault f;

        assert_int_equal(cJSON_GetArraySize(list), 1);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(list->child, "lines")),
                         1);
        assert_int_equal(utf8_prefix(json, strlen(json)), strlen(json));
        assert_true(sanitizer_text_next(&at, "memcheck", FAULT_ILLEGAL_ADDRESS, &f));
        assert_int_equal(f.line, 9);
        assert_int_equal(utf8_prefix(f.file, strlen(f.file)), strlen(f.file));
        cJSON_Delete(list);
        free(json);
        free(error);
        free(lines);
        free(raw);
    }
    buf_free(&long_name);
}

/* --- why there is no profile ------------------------------------------------ */

static void
refusals_say_what_an_admin_can_do(void **state)
{
    static const struct {
        const char *printed, *said;
    } CASES[] = {
        {"hello\n==PROF== Connected to process 10 (/runner)\n"
         "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
         "NVIDIA "
         "GPU Performance Counters on the target device 0.\n",
         "NVreg_RestrictProfilingToAdminUsers=0"},
        {"==ERROR== Profiling failed because a driver resource was unavailable.\n",
         "dcgmi profile --pause"},
        {"==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n", "hypervisor"},
        {"==ERROR== The application returned an error code (11).\n",
         "Nsight Compute says: The application returned an error code (11)."},
        {"the call cannot be made: 0: no memory for a buffer\n"
         "==ERROR== The application returned an error code (9).\n",
         "the call cannot be made: 0: no memory for a buffer"},
        {"==WARNING== No kernels were profiled.\n", "launched no kernel"},
        {"==ERROR== \x1b[2J\n", "Nsight Compute says: [2J"},
        {"==PROF== Disconnected from process 10\nMPS ERR_NVGPUCTRPERM\n",
         "named no reason"},
        {"", "named no reason"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct buf out = {0};

        ncu_refusal_explain(CASES[i].printed, &out);
        if (strstr(buf_str(&out), CASES[i].said) == NULL)
            fail_msg("%s: %s", CASES[i].printed, buf_str(&out));
        buf_free(&out);
    }
}

/* --- compute-sanitizer ------------------------------------------------------ */

static void
errors_have_their_lines(void **state)
{
    static const struct {
        const char *name;
        enum fault_kind kind;
        int count, line, other_line;
        long errors;
        const char *text;
    } CASES[] = {
        {"memcheck", FAULT_ILLEGAL_ADDRESS, 2, 9, 0, 388,
         "memcheck: Invalid __global__ read of size 4 bytes at bad.cu:9 by thread "
         "(96,0,0) in block (97658,0,0) Access to 0x7efe39f5e980 is out of bounds"},
        {"racecheck", FAULT_RACE, 1, 6, 7, 1,
         "racecheck: Error: Race reported between Write access at bad.cu:6 and Read "
         "access at bad.cu:7 [10000000 hazards]"},
        {"initcheck", FAULT_UNINITIALIZED, 2, 8, 0, -1,
         "initcheck: Uninitialized __global__ memory read of size 4 bytes at bad.cu:8"},
        {"synccheck", FAULT_DIVERGENT_BARRIER, 2, 11, 0, 4192,
         "synccheck: Barrier error detected. Divergent thread(s) in warp. at bad.cu:11"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char *name = xasprintf("%s.txt", CASES[i].name);
        struct buf text = golden(name);
        const char *at = buf_str(&text);
        struct fault f;
        int count = 0;

        while (sanitizer_text_next(&at, CASES[i].name, CASES[i].kind, &f)) {
            if (count++ == 0 &&
                strncmp(f.text, CASES[i].text, strlen(CASES[i].text)) != 0)
                fail_msg("%s", f.text);
            assert_int_equal(f.kind, CASES[i].kind);
            assert_string_equal(f.file, "bad.cu");
            assert_int_equal(f.line, CASES[i].line);
            assert_int_equal(f.other_line, CASES[i].other_line);
        }
        assert_int_equal(count, CASES[i].count);
        assert_int_equal(sanitizer_text_errors(buf_str(&text)), CASES[i].errors);
        buf_free(&text);
        free(name);
    }
    assert_int_equal(sanitizer_text_errors("========= ERROR SUMMARY: 0 errors\n"), 0);
    assert_int_equal(sanitizer_text_errors("it crashed\n"), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_no_rows_and_quotes_may_be_in_cells),
        cmocka_unit_test(only_numbers_are_numbers),
        cmocka_unit_test(a_kernel_has_what_was_measured),
        cmocka_unit_test(lines_have_their_share_and_what_warps_wait_for),
        cmocka_unit_test(launches_of_a_kernel_are_added_up),
        cmocka_unit_test(forged_tables_do_no_harm),
        cmocka_unit_test(names_are_cut_between_characters),
        cmocka_unit_test(refusals_say_what_an_admin_can_do),
        cmocka_unit_test(errors_have_their_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
