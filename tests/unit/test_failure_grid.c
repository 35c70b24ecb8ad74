// links: arbiter device gpu_owner sandbox common
/* The window around a wrong element and the heat map: what the arbiter makes of them, and
 * what is read back. The device is "host". */
#include "arbiter/judging/findings.h"
#include "arbiter/judging/heat_map.h"
#include "arbiter/judging/surroundings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An output that is compared: what is told of it ends up in `failure`. */
struct told {
    struct device *device;
    struct judgement j;
    struct problem problem;
    struct call_set set, known;
    struct answer answer;
    cJSON *findings; /* as the daemon reads them */
    const cJSON *failure;
    struct failure_window window;
    struct failure_map map;
    bool has_window, has_map;
};

static void
put_side(struct told *t, struct device_buffer **out, const void *values)
{
    const struct extent *e = &t->set.extent[0];
    struct report r = {0};

    assert_int_equal(device_alloc(t->device, e->bytes, false, out, &r), 0);
    assert_int_equal(device_write(t->device, *out, 0, e->bytes, values, &r), 0);
}

/* Judges `got` against `want`, which have this extent, as an output C of this type. The
 * result is read back from the failure, as the daemon does. */
static void
tell(struct told *t, enum dtype type, struct extent e, const void *got, const void *want,
     struct tolerance rule, enum trial_tells tells)
{
    const struct device_options options = {0};
    const struct trial trial = {.set = &t->set, .answer = &t->answer, .tells = tells};
    struct outputs_finding finding = {.param = 0};
    struct report r = {0};
    char *text;

    *t = (struct told){.device = device_open("host", &options, &r)};
    assert_non_null(t->device);
    e.count = 1;
    for (int k = 0; k < e.rank; k++)
        e.count *= e.dim[k];
    e.bytes = e.count * dtype_size(type);
    t->problem.param_count = 1;
    t->problem.param[0] = (struct param){.name = "C", .type = type, .dir = DIR_OUT};
    t->problem.tolerance = rule;
    t->set.extent[0] = t->known.extent[0] = e;
    t->set.problem = t->known.problem = &t->problem;
    put_side(t, &t->set.copy[0], got);
    put_side(t, &t->known.buffer[0], want);
    t->answer.known = &t->known;
    t->j = (struct judgement){.device = t->device, .problem = &t->problem};
    if (rule.mode == COMPARE_CHECKER) {
        finding.result.first = e.count / 2;
        strcpy(finding.text, "no");
    } else {
        assert_int_equal(
            outputs_compare(t->device, &t->set, &t->answer, false, &finding, &r), 0);
    }
    assert_int_equal(finding.param, 0);
    findings_add_refusal(&t->j.outcome, &t->problem.param[0], &e, &finding);
    assert_int_equal(surroundings_add(&t->j, &trial, &finding, &r), 0);
    text = findings_text(&t->j.outcome);
    t->findings = cJSON_Parse(text);
    free(text);
    t->failure = cJSON_GetObjectItemCaseSensitive(t->findings, "failure");
    t->has_window = failure_window_read(t->failure, &t->window);
    t->has_map = failure_map_read(t->failure, &t->map);
}

static void
told_free(struct told *t)
{
    cJSON_Delete(t->findings);
    outcome_free(&t->j.outcome);
    device_close(t->device);
}

static void
expect_words(const struct told *t, const char *want)
{
    struct buf out = {0};

    failure_map_words(&out, t->failure, &t->map);
    assert_string_equal(buf_str(&out), want);
    buf_free(&out);
}

static double
value(const cJSON *rows, int row, int column)
{
    return failure_window_value(rows, row, column)->valuedouble;
}

static const struct tolerance EXACT = {.mode = COMPARE_EXACT};

/* A matrix of 64 x 1024 whose last tile of 32 columns is wrong. */
static void
the_last_column_block(void **state)
{
    float *want = calloc(64 * 1024, sizeof *want), *got;
    struct told t;

    (void)state;
    for (int i = 0; i < 64 * 1024; i++)
        want[i] = (float)i;
    got = memcpy(malloc(64 * 1024 * sizeof *got), want, 64 * 1024 * sizeof *got);
    for (int row = 0; row < 64; row++)
        memset(got + row * 1024 + 992, 0, 32 * sizeof *got);
    tell(&t, DTYPE_F32, (struct extent){.rank = 2, .dim = {64, 1024}}, got, want, EXACT,
         TRIAL_TELLS_VALUES);
    assert_true(t.has_window && t.has_map);
    assert_int_equal(t.window.rows, WINDOW_ROWS);
    assert_int_equal(t.window.columns, WINDOW_COLUMNS);
    assert_int_equal(t.window.from[0], 0);
    assert_int_equal(t.window.from[1], 988);
    assert_int_equal(t.window.row, 0);
    assert_int_equal(t.window.column, 4);
    for (int y = 0; y < WINDOW_ROWS; y++)
        for (int x = 0; x < WINDOW_COLUMNS; x++) {
            assert_int_equal(t.window.wrong[y][x], x >= 4);
            assert_true(value(t.window.want, y, x) == y * 1024 + 988 + x);
            assert_true(value(t.window.got, y, x) == (x >= 4 ? 0 : y * 1024 + 988 + x));
        }
    assert_int_equal(t.map.cell_rows, 32);
    assert_int_equal(t.map.cell_columns, 32);
    assert_int_equal(t.map.wrong, 2048);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
            assert_int_equal(t.map.share[y][x], x == 31 ? 100 : 0);
    expect_words(&t, "C: 2,048 of 65,536 elements are wrong, all in columns 992 to 1023");
    told_free(&t);
    free(got);
    free(want);
}

/* Of a hidden test there are places, and no values. */
static void
places_without_values(void **state)
{
    int32_t want[33 * 65], got[33 * 65];
    struct told t;

    (void)state;
    for (int i = 0; i < 33 * 65; i++)
        got[i] = want[i] = i;
    got[32 * 65 + 64] = 7;
    tell(&t, DTYPE_I32, (struct extent){.rank = 2, .dim = {33, 65}}, got, want, EXACT,
         TRIAL_TELLS_PLACES);
    assert_true(t.has_window && t.has_map);
    assert_null(t.window.got);
    assert_null(t.window.want);
    /* The last element: the window ends with the matrix. */
    assert_int_equal(t.window.from[0], 26);
    assert_int_equal(t.window.from[1], 56);
    assert_int_equal(t.window.row, 6);
    assert_int_equal(t.window.column, 8);
    assert_true(t.window.wrong[6][8]);
    assert_true(t.map.three_levels);
    assert_int_equal(t.map.cell_rows, 16);
    assert_int_equal(t.map.share[15][15], 50);
    assert_int_equal(t.map.share[15][14], 0);
    expect_words(&t, "C: 1 of 2,145 elements is wrong, in row 32 and column 64");
    told_free(&t);
    tell(&t, DTYPE_I32, (struct extent){.rank = 2, .dim = {33, 65}}, got, want, EXACT,
         TRIAL_TELLS_ELEMENT);
    assert_false(t.has_window || t.has_map);
    told_free(&t);
}

static void
one_dimension(void **state)
{
    double want[100], got[100];
    struct told t;

    (void)state;
    for (int i = 0; i < 100; i++)
        got[i] = want[i] = 0.5 * i;
    for (int i = 96; i < 100; i++)
        got[i] = NAN;
    got[98] = INFINITY;
    tell(&t, DTYPE_F64, (struct extent){.rank = 1, .dim = {100}}, got, want,
         (struct tolerance){.mode = COMPARE_CLOSE, .atol = 1e-6, .rtol = 1e-6},
         TRIAL_TELLS_VALUES);
    assert_true(t.has_window && t.has_map);
    assert_int_equal(t.window.rank, 1);
    assert_int_equal(t.window.rows, 1);
    assert_int_equal(t.window.from[0], 91);
    assert_int_equal(t.window.column, 5);
    assert_string_equal(failure_window_value(t.window.got, 0, 5)->valuestring, "NaN");
    assert_string_equal(failure_window_value(t.window.got, 0, 7)->valuestring,
                        "infinity");
    assert_true(value(t.window.want, 0, 5) == 48);
    assert_int_equal(t.map.rows, 1);
    assert_int_equal(t.map.cell_rows, 1);
    expect_words(&t, "C: 4 of 100 elements are wrong, all from [96] to [99]");
    told_free(&t);
    got[0] = want[0] = 0;
    want[0] = 1;
    tell(&t, DTYPE_F64, (struct extent){.rank = 1, .dim = {1}}, got, want, EXACT,
         TRIAL_TELLS_VALUES);
    assert_int_equal(t.window.columns, 1);
    expect_words(&t, "C: 1 of 1 element is wrong");
    told_free(&t);
}

/* Of three dimensions the map is of one matrix. */
static void
three_dimensions(void **state)
{
    uint16_t want[3 * 4 * 5] = {0}, got[3 * 4 * 5] = {0}; /* float16, all zero */
    struct told t;

    (void)state;
    for (int i = 40; i < 60; i++)
        got[i] = 0x3c00; /* 1 */
    got[21] = 0x7e00;    /* NaN */
    tell(&t, DTYPE_F16, (struct extent){.rank = 3, .dim = {3, 4, 5}}, got, want, EXACT,
         TRIAL_TELLS_VALUES);
    assert_true(t.has_window && t.has_map);
    assert_int_equal(t.window.rank, 3);
    assert_int_equal(t.window.from[0], 1);
    assert_int_equal(t.window.from[1], 0);
    assert_int_equal(t.window.rows, 4);
    assert_int_equal(t.window.columns, 5);
    assert_int_equal(t.window.column, 1);
    assert_true(t.window.wrong[0][1] && !t.window.wrong[3][4]);
    assert_string_equal(failure_window_value(t.window.got, 0, 1)->valuestring, "NaN");
    expect_words(&t, "C[1]: 1 of 20 elements is wrong, in row 0 and column 1");
    told_free(&t);
    got[21] = 0;
    tell(&t, DTYPE_F16, (struct extent){.rank = 3, .dim = {3, 4, 5}}, got, want, EXACT,
         TRIAL_TELLS_VALUES);
    expect_words(&t, "C[2]: all 20 elements are wrong");
    told_free(&t);
}

/* Values of each kind of type are told as the sentence tells them. */
static void
types(void **state)
{
    static const struct {
        enum dtype type;
        uint64_t got, want;
        const char *got_text, *want_text; /* NULL: a number */
        double got_number, want_number;
    } CASES[] = {
        {DTYPE_I64, UINT64_C(9007199254740993), UINT64_C(9007199254740992),
         "9007199254740993", "9007199254740992", 0, 0},
        {DTYPE_BF16, 0x7f80, 0x3f80, "infinity", NULL, 0, 1},
        {DTYPE_E4M3, 0x7f, 0x38, "NaN", NULL, 0, 1},
        {DTYPE_E5M2, 0xbc, 0x3c, NULL, NULL, -1, 1},
        {DTYPE_U8, 255, 0, NULL, NULL, 255, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const cJSON *got, *want;
        struct told t;

        tell(&t, CASES[i].type, (struct extent){.rank = 1, .dim = {1}}, &CASES[i].got,
             &CASES[i].want, EXACT, TRIAL_TELLS_VALUES);
        assert_true(t.has_window && t.has_map && t.window.wrong[0][0]);
        got = failure_window_value(t.window.got, 0, 0);
        want = failure_window_value(t.window.want, 0, 0);
        if (CASES[i].got_text != NULL)
            assert_string_equal(got->valuestring, CASES[i].got_text);
        else
            assert_true(got->valuedouble == CASES[i].got_number);
        if (CASES[i].want_text != NULL)
            assert_string_equal(want->valuestring, CASES[i].want_text);
        else
            assert_true(want->valuedouble == CASES[i].want_number);
        told_free(&t);
    }
}

/* Where a checker decides, or rows have any order, no element is wrong by itself. */
static void
not_element_by_element(void **state)
{
    const int32_t want[] = {1, 2, 3, 4, 5, 6}, got[] = {2, 1, 3, 4, 4, 6};
    const struct extent e = {.rank = 2, .dim = {2, 3}};
    struct told t;

    (void)state;
    for (int i = 0; i < 2; i++) {
        const enum compare_mode mode = i == 0 ? COMPARE_UNORDERED : COMPARE_CHECKER;

        tell(&t, DTYPE_I32, e, got, want, (struct tolerance){.mode = mode},
             TRIAL_TELLS_VALUES);
        assert_true(t.has_window);
        assert_false(t.window.judged || t.has_map);
        assert_int_equal(t.window.row, 1);
        assert_true(value(t.window.got, 1, 1) == 4 && value(t.window.want, 1, 1) == 5);
        told_free(&t);
        tell(&t, DTYPE_I32, e, got, want, (struct tolerance){.mode = mode},
             TRIAL_TELLS_PLACES);
        assert_false(t.has_window || t.has_map);
        told_free(&t);
    }
}

/* --- cells and blocks --------------------------------------------------- */

/* Each element is in the cell between whose edges it lies, for sides that no number of
 * cells divides. */
static void
cells_have_their_edges(void **state)
{
    static const uint64_t SIDES[] = {1, 2, 31, 32, 33, 63, 65, 701, 4097};
    static const uint8_t want[4097] = {0};
    const struct compare_rule rule = {.dtype = DTYPE_U8, .exact = 1};

    (void)state;
    for (size_t s = 0; s < sizeof SIDES / sizeof *SIDES; s++) {
        uint8_t got[4097] = {0};
        struct heat_map m;
        int cells;

        heat_map_begin(&m, 1, SIDES[s], MAP_CELLS);
        cells = m.cell_columns;
        got[SIDES[s] - 1] = 1;
        heat_map_count(&m, &rule, got, want, 0, SIDES[s]);
        assert_int_equal(m.seen, SIDES[s]);
        assert_int_equal(m.left, SIDES[s] - 1);
        assert_int_equal(m.cell[0][cells - 1].wrong, 1);
        assert_int_equal(failure_map_edge(SIDES[s], cells, 0), 0);
        assert_int_equal(failure_map_edge(SIDES[s], cells, cells), SIDES[s]);
        for (int x = 0; x < cells; x++)
            assert_int_equal(m.cell[0][x].seen, failure_map_edge(SIDES[s], cells, x + 1) -
                                                    failure_map_edge(SIDES[s], cells, x));
    }
}

/* A share of 0 and of 100 means what it says, also where rounding would give it. */
static void
shares_do_not_round_away(void **state)
{
    static uint8_t got[3000], want[3000];
    const struct compare_rule rule = {.dtype = DTYPE_U8, .exact = 1};
    cJSON *failure = cJSON_CreateObject();
    struct failure_map read;
    struct heat_map m;

    (void)state;
    got[0] = 1;
    memset(got + 1500, 1, 1499);
    heat_map_begin(&m, 1, 3000, 2);
    heat_map_count(&m, &rule, got, want, 0, 3000);
    cJSON_AddItemToObject(failure, "map", heat_map_json(&m, false));
    assert_true(failure_map_read(failure, &read));
    assert_int_equal(read.share[0][0], 1);
    assert_int_equal(read.share[0][1], 99);
    cJSON_Delete(failure);
}

/* A large output is looked at in a bounded number of blocks, which lie all over it. */
static void
a_large_output_is_sampled(void **state)
{
    const uint64_t count = (uint64_t)1 << 30, columns = 4 * SURROUNDINGS_BLOCK;
    const uint64_t first = 12345 * (uint64_t)SURROUNDINGS_BLOCK + 7;
    const struct block_choice all = block_choice_make(SURROUNDINGS_BLOCK * 2048ull, 0);
    const struct block_choice c = block_choice_make(count, first);
    uint64_t places[4] = {0}, last = 0;
    bool has_first = false;

    (void)state;
    assert_int_equal(all.step, 1);
    assert_int_equal(block_choice_groups(&all), 2048);
    assert_true(block_choice_groups(&c) <= SURROUNDINGS_BLOCKS);
    for (uint64_t g = 0; g < block_choice_groups(&c); g++) {
        const uint64_t block = block_choice_block(&c, g);

        assert_true(block < c.blocks && (g == 0 || block > last));
        last = block;
        has_first = has_first || block == first / SURROUNDINGS_BLOCK;
        places[block * SURROUNDINGS_BLOCK % columns / SURROUNDINGS_BLOCK]++;
    }
    assert_true(has_first);
    for (int i = 0; i < 4; i++)
        assert_in_range(places[i], 256, 1024); /* a quarter of 2048 is 512 */
}

/* --- what others may have written --------------------------------------- */

static void
what_is_not_whole_is_refused(void **state)
{
    static const char *const WINDOWS[] = {
        "{}",
        "{\"from\":[0]}",
        "{\"from\":[0],\"wrong\":[]}",
        "{\"from\":[0],\"wrong\":[[]]}",
        "{\"from\":[0],\"wrong\":[[1]]}",
        "{\"from\":[0],\"wrong\":[[true],[true]]}",
        "{\"from\":[6],\"wrong\":[[true,true]]}",
        "{\"from\":[3],\"wrong\":[[true,true]]}",
        "{\"from\":[-1],\"wrong\":[[true,true,true,true,true,true,true]]}",
        "{\"from\":[5,0],\"wrong\":[[true]]}",
        "{\"from\":[5],\"wrong\":[[true]],\"got\":[[1]]}",
        "{\"from\":[5],\"wrong\":[[true]],\"got\":[[1,2]],\"want\":[[1,2]]}",
        "{\"from\":[5],\"wrong\":[[true]],\"got\":[[null]],\"want\":[[1]]}",
        "{\"from\":[5],\"wrong\":[[true,true,true,true,true,true,true,true,true,true]]}",
        "[[true]]",
    };
    static const char *const MAPS[] = {
        "{}",
        "{\"rows\":1,\"columns\":2,\"wrong\":1,\"looked_at\":2}",
        "{\"rows\":1,\"columns\":2,\"wrong\":3,\"looked_at\":2,\"share\":[[1,1]]}",
        "{\"rows\":1,\"columns\":2,\"wrong\":1,\"looked_at\":3,\"share\":[[1,1]]}",
        "{\"rows\":1,\"columns\":2,\"wrong\":1,\"looked_at\":2,\"share\":[[1,101]]}",
        "{\"rows\":1,\"columns\":2,\"wrong\":1,\"looked_at\":2,\"share\":[[1,1,1]]}",
        "{\"rows\":1,\"columns\":2,\"wrong\":1,\"looked_at\":2,\"share\":[[1],[1]]}",
        "{\"rows\":0,\"columns\":2,\"wrong\":0,\"looked_at\":0,\"share\":[[1]]}",
        "{\"rows\":1e300,\"columns\":1e300,\"wrong\":1,\"looked_at\":2,\"share\":[[1]]}",
    };

    static const char *const BOXES[] = {
        "{}",
        "{\"rows\":[0,0]}",
        "{\"rows\":[0,0],\"columns\":[0,2]}",
        "{\"rows\":[0,0],\"columns\":[1,0]}",
        "{\"rows\":[0,0],\"columns\":[0,0.5]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof WINDOWS / sizeof *WINDOWS; i++) {
        cJSON *failure = cJSON_Parse("{\"index\":[5]}");
        struct failure_window w;

        cJSON_AddItemToObject(failure, "window", cJSON_Parse(WINDOWS[i]));
        assert_false(failure_window_read(failure, &w));
        cJSON_Delete(failure);
    }
    for (size_t i = 0; i < sizeof MAPS / sizeof *MAPS; i++) {
        cJSON *failure = cJSON_CreateObject();
        struct failure_map m;

        cJSON_AddItemToObject(failure, "map", cJSON_Parse(MAPS[i]));
        assert_false(failure_map_read(failure, &m));
        cJSON_Delete(failure);
    }
    for (size_t i = 0; i < sizeof BOXES / sizeof *BOXES; i++) {
        cJSON *failure = cJSON_Parse("{\"map\":{\"rows\":1,\"columns\":2,\"wrong\":1,"
                                     "\"looked_at\":2,\"share\":[[1,1]]}}");
        cJSON *map = cJSON_GetObjectItemCaseSensitive(failure, "map");
        struct failure_map m;

        assert_true(failure_map_read(failure, &m));
        cJSON_AddItemToObject(map, "box", cJSON_Parse(BOXES[i]));
        assert_false(failure_map_read(failure, &m));
        cJSON_Delete(failure);
    }
}

/* Words of an index with a million members would take hours. */
static void
an_index_has_few_members(void **state)
{
    cJSON *failure = cJSON_Parse("{\"index\":[1,1,1,1,1,1],\"map\":{\"rows\":1,"
                                 "\"columns\":2,\"wrong\":1,\"looked_at\":2,"
                                 "\"share\":[[1,1]]}}");
    cJSON *index = cJSON_GetObjectItemCaseSensitive(failure, "index");
    struct failure_map m;

    (void)state;
    assert_true(failure_map_read(failure, &m));
    cJSON_AddItemToArray(index, cJSON_CreateNumber(1));
    assert_false(failure_map_read(failure, &m));
    cJSON_Delete(failure);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_column_block),
        cmocka_unit_test(places_without_values),
        cmocka_unit_test(one_dimension),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(types),
        cmocka_unit_test(not_element_by_element),
        cmocka_unit_test(cells_have_their_edges),
        cmocka_unit_test(shares_do_not_round_away),
        cmocka_unit_test(a_large_output_is_sampled),
        cmocka_unit_test(what_is_not_whole_is_refused),
        cmocka_unit_test(an_index_has_few_members),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
