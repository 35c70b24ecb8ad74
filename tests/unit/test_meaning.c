// links: common
/*
 * The meaning of a problem: for every key that the readers of a problem.json know,
 * whether it counts. The keys are those that the readers list when they refuse another
 * one, so that a new key that has no row in KEYS fails here.
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "problem/meaning.h"
#include "problem/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FOREIGN "not-a-key"

/* A spec with every kind of object that a spec may have. */
static const char FULL[] =
    "{\"format\": 1, \"title\": \"All\", \"difficulty\": \"easy\", \"tags\": [\"a\"],"
    " \"teaches\": [\"b\"], \"after\": [\"c\"],"
    " \"params\": ["
    "  {\"name\": \"A\", \"type\": \"float32\", \"dir\": \"in\", \"shape\": [\"N\"],"
    "   \"values\": {\"mostly\": {\"value\": 0, \"share\": 0.5,"
    "                           \"rest\": {\"uniform\": [-1, 1]}}}},"
    "  {\"name\": \"B\", \"type\": \"float32\", \"dir\": \"inout\", \"shape\": [\"N\"],"
    "   \"values\": {\"choice\": {\"of\": [1, 2], \"weights\": [1, 3]}},"
    "   \"compare\": {\"mode\": \"exact\", \"may_differ\": 0.1}},"
    "  {\"name\": \"C\", \"type\": \"float32\", \"dir\": \"out\", \"shape\": [\"N\"],"
    "   \"compare\": {\"mode\": \"ulp\", \"ulp\": 2}},"
    "  {\"name\": \"D\", \"type\": \"float32\", \"dir\": \"out\", \"shape\": [\"N\"]},"
    "  {\"name\": \"N\", \"type\": \"int32\", \"dir\": \"scalar\", \"min\": 1,"
    "   \"max\": 1000000}],"
    " \"compare\": {\"mode\": \"close\", \"atol\": 1e-5, \"rtol\": 1e-5,"
    "  \"benchmark\": {\"atol\": 1e-4, \"rtol\": 1e-4}},"
    " \"tests\": [{\"N\": 4, \"sample\": true, \"about\": \"small\"},"
    "  {\"N\": 64, \"values\": {"
    "    \"A\": {\"scatter\": {\"count\": 3, \"values\": {\"constant\": 1}}},"
    "    \"B\": {\"formula\": {\"is\": \"2 * value\", \"value\": {\"uniform\": [0, 1]}}}"
    "  }}],"
    " \"benchmark\": {\"cuda\": {\"N\": 100000, \"values\": {\"A\": {\"constant\": 1}}},"
    "                \"emu\": {\"N\": 1000, \"values\": {\"A\": {\"constant\": 2}}}},"
    " \"work\": {\"bytes\": \"8*N\", \"flops\": \"N\", \"unit\": \"fp32\"},"
    " \"limits\": {\"time_ms\": 1000, \"memory_mib\": 64},"
    " \"accepts\": {\"zeros\": {\"B\": \"why\"}, \"float\": \"why\"}}";

/* Column indices in CSR form, for the one kind of values that FULL's types exclude. */
static const char SPARSE[] =
    "{\"format\": 1, \"title\": \"All\", \"difficulty\": \"easy\","
    " \"params\": ["
    "  {\"name\": \"I\", \"type\": \"int32\", \"dir\": \"in\", \"shape\": [\"N\"],"
    "   \"values\": {\"sparse\": {\"part\": \"columns\", \"rows\": \"N\","
    "     \"columns\": \"N\", \"count\": \"N\"}}},"
    "  {\"name\": \"C\", \"type\": \"float32\", \"dir\": \"out\", \"shape\": [\"N\"]},"
    "  {\"name\": \"N\", \"type\": \"int32\", \"dir\": \"scalar\"}],"
    " \"compare\": {\"mode\": \"exact\"},"
    " \"tests\": [{\"N\": 4}],"
    " \"benchmark\": {\"cuda\": {\"N\": 1000}, \"emu\": {\"N\": 100}}}";

enum effect { APART = 0, GPU = 1, EMU = 2, COUNTS = 3 };

/* Every key of the schema by the kind of its object. "values" describes an input's
 * values, wherever that stands; below it an object has the name of its key. */
static const struct row {
    const char *place, *key;
    enum effect effect;
} KEYS[] = {
    {"$", "format", APART},
    {"$", "title", APART},
    {"$", "difficulty", APART},
    {"$", "tags", APART},
    {"$", "teaches", APART},
    {"$", "after", APART},
    {"$", "sources", APART},
    {"$", "accepts", APART},
    {"$", "params", COUNTS},
    {"$", "compare", COUNTS},
    {"$", "tests", COUNTS},
    {"$", "benchmark", COUNTS},
    {"$", "work", COUNTS},
    {"$", "limits", COUNTS},
    {"$", "arch", COUNTS},
    {"$", "gpus", COUNTS},
    {"$", "libraries", COUNTS},
    {"$.limits", "time_ms", COUNTS},
    {"$.limits", "memory_mib", COUNTS},
    {"$.work", "bytes", COUNTS},
    {"$.work", "flops", COUNTS},
    {"$.work", "unit", COUNTS},
    {"$.params[]", "about", APART},
    {"$.params[]", "name", COUNTS},
    {"$.params[]", "type", COUNTS},
    {"$.params[]", "dir", COUNTS},
    {"$.params[]", "min", COUNTS},
    {"$.params[]", "max", COUNTS},
    {"$.params[]", "shape", COUNTS},
    {"$.params[]", "values", COUNTS},
    {"$.params[]", "space", COUNTS},
    {"$.params[]", "device", COUNTS},
    {"$.params[]", "start", COUNTS},
    {"$.params[]", "compare", COUNTS},
    {"compare", "mode", COUNTS},
    {"compare", "benchmark", COUNTS},
    {"compare", "atol", COUNTS},
    {"compare", "rtol", COUNTS},
    {"compare", "ulp", COUNTS},
    {"compare", "may_differ", COUNTS},
    {"compare.benchmark", "atol", COUNTS},
    {"compare.benchmark", "rtol", COUNTS},
    {"compare.benchmark", "may_differ", COUNTS},
    {"$.tests[]", "about", APART},
    {"$.tests[]", "sample", APART},
    {"$.tests[]", "values", COUNTS},
    {"$.tests[]", "inputs", COUNTS},
    {"$.tests[]", "beyond", COUNTS},
    {"$.tests[]", "N", COUNTS},
    {"$.benchmark", "cuda", GPU},
    {"$.benchmark", "emu", EMU},
    {"benchmark", "about", APART},
    {"benchmark", "values", COUNTS},
    {"benchmark", "inputs", COUNTS},
    {"benchmark", "N", COUNTS},
    {"values", "constant", COUNTS},
    {"values", "uniform", COUNTS},
    {"values", "integers", COUNTS},
    {"values", "normal", COUNTS},
    {"values", "ramp", COUNTS},
    {"values", "list", COUNTS},
    {"values", "cycle", COUNTS},
    {"values", "choice", COUNTS},
    {"values", "same", COUNTS},
    {"values", "negate", COUNTS},
    {"values", "mostly", COUNTS},
    {"values", "distinct", COUNTS},
    {"values", "sorted", COUNTS},
    {"values", "scatter", COUNTS},
    {"values", "distinct_rows", COUNTS},
    {"values", "sparse", COUNTS},
    {"values", "sorted_rows", COUNTS},
    {"values", "offsets", COUNTS},
    {"values", "formula", COUNTS},
    {"values", "inputs.c", COUNTS},
    {"choice", "of", COUNTS},
    {"choice", "weights", COUNTS},
    {"mostly", "value", COUNTS},
    {"mostly", "share", COUNTS},
    {"mostly", "rest", COUNTS},
    {"scatter", "count", COUNTS},
    {"scatter", "values", COUNTS},
    {"sparse", "part", COUNTS},
    {"sparse", "rows", COUNTS},
    {"sparse", "columns", COUNTS},
    {"sparse", "count", COUNTS},
    {"sparse", "matrix", COUNTS},
    {"formula", "is", COUNTS},
    {"formula", "value", COUNTS},
};

#define ROWS (sizeof KEYS / sizeof *KEYS)

static bool row_seen[ROWS];

/* --- what the readers know ---------------------------------------------------------- */

/* Where the foreign key was refused, and the keys that were listed instead. */
struct refusal {
    char place[256], known[1024];
};

static void
keep_refusal(void *context, const char *where, const char *sentence)
{
    static const char WORDS[] = "unknown key \"" FOREIGN "\"; known here: ";
    struct refusal *refusal = context;
    const char *known = strstr(sentence, WORDS);

    if (known == NULL)
        return;
    snprintf(refusal->place, sizeof refusal->place, "%s",
             where + strlen("problem.json: "));
    snprintf(refusal->known, sizeof refusal->known, "%s", known + strlen(WORDS));
}

static void
tell_error(void *context, const char *where, const char *sentence)
{
    (void)context;
    printf("%s: %s\n", where, sentence);
}

/* The kind of object at a JSON path, as KEYS names it. */
static const char *
kind_of_place(char *place)
{
    static const char *const BELOW[] = {"choice", "mostly", "scatter", "sparse",
                                        "formula"};
    char *last, *to = place;

    for (const char *from = place; *from != '\0'; from++)
        if (*from < '0' || *from > '9' || (to > place && to[-1] != '['))
            *to++ = *from;
    *to = '\0';
    last = strrchr(place, '.');
    if (strstr(place, ".values") != NULL) {
        for (size_t i = 0; i < sizeof BELOW / sizeof *BELOW; i++)
            if (strcmp(last + 1, BELOW[i]) == 0)
                return BELOW[i];
        return "values";
    }
    if (last == NULL || strcmp(place, "$.benchmark") == 0)
        return place;
    if (strcmp(last, ".compare") == 0)
        return "compare";
    if (strcmp(last, ".benchmark") == 0)
        return "compare.benchmark";
    return strncmp(place, "$.benchmark.", 12) == 0 ? "benchmark" : place;
}

/* --- what a key changes ------------------------------------------------------------- */

static char *
meaning_text(const cJSON *root, enum meaning_kind kind)
{
    struct buf text = {0};

    meaning_of_spec(root, kind, &text);
    return buf_take(&text);
}

/* Gives the key of the object another value, and looks at what the root then means. */
static enum effect
effect_of(const cJSON *root, cJSON *object, const char *key)
{
    char *gpu = meaning_text(root, MEANING_GPU), *emu = meaning_text(root, MEANING_EMU);
    char *gpu_then, *emu_then;
    cJSON *before = cJSON_DetachItemFromObjectCaseSensitive(object, key);
    int effect;

    cJSON_AddStringToObject(object, key, "another value");
    gpu_then = meaning_text(root, MEANING_GPU);
    emu_then = meaning_text(root, MEANING_EMU);
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    if (before != NULL)
        cJSON_AddItemToObject(object, key, before);
    effect = (strcmp(gpu, gpu_then) != 0 ? GPU : APART) |
             (strcmp(emu, emu_then) != 0 ? EMU : APART);
    free(gpu);
    free(emu);
    free(gpu_then);
    free(emu_then);
    return (enum effect)effect;
}

static enum effect
effect_wanted(const char *path, const char *place, const char *key)
{
    int device = COUNTS;

    if (strncmp(path, "$.accepts", 9) == 0)
        return APART;
    if (strncmp(path, "$.benchmark.", 12) == 0)
        device = strncmp(path, "$.benchmark.emu", 15) == 0 ? EMU : GPU;
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(KEYS[i].place, place) != 0 || strcmp(KEYS[i].key, key) != 0)
            continue;
        row_seen[i] = true;
        return (enum effect)((int)KEYS[i].effect & device);
    }
    fail_msg("%s: the key \"%s\" has no row in KEYS: say whether it counts "
             "(problem/meaning.h)",
             path, key);
    return APART;
}

static void
check_keys(const cJSON *root, cJSON *object, struct refusal *refusal)
{
    char path[256];
    const char *place;
    char *next = NULL;

    memcpy(path, refusal->place, sizeof path);
    place = kind_of_place(refusal->place);
    for (char *key = strtok_r(refusal->known, ", ", &next); key != NULL;
         key = strtok_r(NULL, ", ", &next)) {
        const enum effect want = effect_wanted(path, place, key);
        const enum effect got = effect_of(root, object, key);

        if (got != want)
            fail_msg("%s: \"%s\" has effect %d instead of %d", path, key, (int)got,
                     (int)want);
    }
}

/* Asks the readers which keys the object may have: it gets a foreign one beside its own
 * or, where a value has one key only, instead of it. */
static void
ask_keys(const cJSON *root, cJSON *object, bool instead, struct refusal *out)
{
    cJSON *kept = object->child;
    int errors = 0;
    char *text;

    if (instead)
        object->child = NULL;
    cJSON_AddTrueToObject(object, FOREIGN);
    text = cJSON_PrintUnformatted(root);
    problem_free(
        problem_parse("test", NULL, text, strlen(text), keep_refusal, out, &errors));
    free(text);
    cJSON_DeleteItemFromObjectCaseSensitive(object, FOREIGN);
    if (instead)
        object->child = kept;
    assert_true(errors > 0);
}

/* Looks at each key of each object. Objects by the names of inputs list none. */
static void
visit(cJSON *root, cJSON *item)
{
    struct refusal refusal = {0};
    cJSON *copy = cJSON_Duplicate(item, true);
    int i = 0;

    if (cJSON_IsObject(item)) {
        ask_keys(root, item, false, &refusal);
        if (refusal.known[0] == '\0')
            ask_keys(root, item, true, &refusal);
        check_keys(root, item, &refusal);
    }
    /* The copy has the members in their first order, which check_keys() changes. */
    for (const cJSON *e = copy->child; e != NULL; e = e->next, i++)
        visit(root, cJSON_IsObject(item)
                        ? cJSON_GetObjectItemCaseSensitive(item, e->string)
                        : cJSON_GetArrayItem(item, i));
    cJSON_Delete(copy);
}

static void
test_keys(void **state)
{
    const char *const specs[] = {FULL, SPARSE};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct report r = {0};
        cJSON *root = json_parse(specs[i], strlen(specs[i]), "the spec", &r);
        struct problem *p;
        int errors = 0;

        assert_non_null(root);
        p = problem_parse("test", NULL, specs[i], strlen(specs[i]), tell_error, NULL,
                          &errors);
        assert_non_null(p);
        problem_free(p);
        visit(root, root);
        cJSON_Delete(root);
    }
    for (size_t i = 0; i < ROWS; i++)
        if (!row_seen[i])
            fail_msg("no reader knows \"%s\" of %s", KEYS[i].key, KEYS[i].place);
}

/* --- spelling ----------------------------------------------------------------------- */

static char *
text_of(const char *spec, enum meaning_kind kind)
{
    struct report r = {0};
    cJSON *root = json_parse(spec, strlen(spec), "the spec", &r);
    char *text;

    assert_non_null(root);
    text = meaning_text(root, kind);
    cJSON_Delete(root);
    return text;
}

static void
check_same(const char *a, const char *b, bool same)
{
    char *one = text_of(a, MEANING_GPU), *other = text_of(b, MEANING_GPU);

    if ((strcmp(one, other) == 0) != same)
        fail_msg("%s and %s should mean %s", a, b, same ? "the same" : "two things");
    free(one);
    free(other);
}

static void
test_spelling(void **state)
{
    (void)state;
    check_same("{\"arch\":\"80\",\"gpus\":2}", "{ \"gpus\" : 2.0,\n\"arch\": \"80\"}",
               true);
    check_same("{\"compare\":{\"atol\":1e-5}}", "{\"compare\":{\"atol\":0.00001}}", true);
    check_same("{\"arch\":\"8\\u0030\"}", "{\"arch\":\"80\"}", true);
    check_same("{\"tests\":[{\"N\":1},{\"N\":2}]}", "{\"tests\":[{\"N\":2},{\"N\":1}]}",
               false);
    check_same("{\"tests\":[{\"N\":12}]}", "{\"tests\":[{\"N\":1},{\"N\":2}]}", false);
    check_same("{\"arch\":\"80\"}", "{\"arch\":80}", false);
    check_same("{\"limits\":{\"title\":1}}", "{\"limits\":{\"title\":2}}", false);
    /* An input may be called as a key that is apart elsewhere. */
    check_same("{\"tests\":[{\"values\":{\"about\":1}}]}",
               "{\"tests\":[{\"values\":{\"about\":2}}]}", false);
}

/* --- files -------------------------------------------------------------------------- */

struct place {
    char dir[32];
};

static void
write_at(const struct place *at, const char *name, const char *text)
{
    struct report r = {0};
    char *path = xasprintf("%s/p/%s", at->dir, name);

    assert_int_equal(file_write(path, text, strlen(text), &r), 0);
    free(path);
}

static void
read_at(const struct place *at, enum meaning_kind kind, char out[MEANING_BYTES])
{
    struct report r = {0};

    if (meaning_read(at->dir, "p", kind, out, &r) != 0)
        fail_msg("%s", r.text);
}

static void
make_place(struct place *at)
{
    struct report r = {0};
    char *folder;

    snprintf(at->dir, sizeof at->dir, "/tmp/test_meaning.XXXXXX");
    assert_non_null(mkdtemp(at->dir));
    folder = xasprintf("%s/p", at->dir);
    assert_int_equal(file_mkdirs(folder, &r), 0);
    free(folder);
    write_at(at, "problem.json", FULL);
    write_at(at, "reference.c", "void solve(void) {}\n");
}

/* A hash that is another one than yesterday's makes every board begin anew. Who changes
 * these two on purpose has raised a version. */
static void
test_known_hashes(void **state)
{
    struct report r = {0};
    struct place at;
    char gpu[MEANING_BYTES], emu[MEANING_BYTES];

    (void)state;
    make_place(&at);
    write_at(&at, "problem.json", SPARSE);
    read_at(&at, MEANING_GPU, gpu);
    read_at(&at, MEANING_EMU, emu);
    assert_string_equal(
        gpu, "8a8cdd7680c7aeb1731054a6eac3f84feb33a98768a5f262cc8ae719136c3902");
    assert_string_equal(
        emu, "e8ccdaa8ae7225d7720dcd8fbebb8bd75dc7f33a58267c0770df98f51d532f99");
    assert_int_equal(file_remove_tree(at.dir, &r), 0);
}

static void
test_files(void **state)
{
    struct report r = {0};
    struct place at;
    char before[MEANING_BYTES], then[MEANING_BYTES], *path;

    (void)state;
    make_place(&at);
    write_at(&at, "statement.md", "one\n");
    read_at(&at, MEANING_GPU, before);
    write_at(&at, "statement.md", "two\n");
    write_at(&at, "baselines.json", "{}\n");
    read_at(&at, MEANING_GPU, then);
    assert_string_equal(then, before);
    for (int i = 1; meaning_files[i] != NULL; i++) {
        write_at(&at, meaning_files[i], "int a;\n");
        read_at(&at, MEANING_GPU, then);
        assert_string_not_equal(then, before);
        memcpy(before, then, sizeof before);
    }
    /* What is taken back means what it meant. */
    write_at(&at, "inputs.c", "int b;\n");
    read_at(&at, MEANING_GPU, then);
    assert_string_not_equal(then, before);
    write_at(&at, "inputs.c", "int a;\n");
    read_at(&at, MEANING_GPU, then);
    assert_string_equal(then, before);
    path = xasprintf("%s/p/problem.json", at.dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(meaning_read(at.dir, "p", MEANING_GPU, then, &r), -1);
    assert_non_null(strstr(r.text, path));
    assert_string_equal(then, before);
    free(path);
    assert_int_equal(file_remove_tree(at.dir, &(struct report){0}), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_spelling),
        cmocka_unit_test(test_known_hashes),
        cmocka_unit_test(test_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
