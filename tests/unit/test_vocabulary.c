// links: common
/* vocabulary.json: words that a problem may have, and those that nobody would find. */
#include "base/buf.h"
#include "base/file.h"
#include "problem/problem.h"
#include "problem/vocabulary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
keep_all(void *context, const char *where, const char *sentence)
{
    buf_printf(context, "%s: %s\n", where, sentence);
}

/* Compares what is said of a problem beside a vocabulary.json with this text;
 * NULL: there is none. */
static void
check_words(const char *vocabulary, const struct problem *p, const char *expected)
{
    char dir[] = "/tmp/test_vocabulary.XXXXXX", *path;
    struct buf all = {0};
    int errors = 0;

    assert_non_null(mkdtemp(dir));
    path = xasprintf("%s/vocabulary.json", dir);
    if (vocabulary != NULL)
        assert_int_equal(file_write(path, vocabulary, strlen(vocabulary), NULL), 0);
    errors = vocabulary_check(dir, p, keep_all, &all);
    assert_string_equal(buf_str(&all), expected);
    for (const char *c = buf_str(&all); *c != '\0'; c++)
        errors -= *c == '\n';
    assert_int_equal(errors, 0);
    buf_free(&all);
    file_remove_tree(dir, NULL);
    free(path);
}

static void
check_tags(const char *vocabulary, const char *const *tags, int count,
           const char *expected)
{
    const struct problem p = {.tags = tags, .tag_count = count};

    check_words(vocabulary, &p, expected);
}

static const char TWO[] = "{\"tags\": {\"scan\": \"One.\", \"top-k\": \"Two.\"}}";

static void
test_known(void **state)
{
    const char *const tags[] = {"scan", "top-k"}, *const any[] = {"of one's own"};

    (void)state;
    check_tags(TWO, tags, 2, "");
    check_tags(TWO, NULL, 0, "");
    check_tags(NULL, any, 1, "");
}

static void
test_unknown(void **state)
{
    const char *const near[] = {"scan", "topk"}, *const far[] = {"elementwise"},
                      *const large[] = {"SCAN"}, *const twice[] = {"scan", "scan"};

    (void)state;
    check_tags(TWO, near, 2,
               "problem.json: $.tags[1]: there is no tag \"topk\": did you mean "
               "\"top-k\"?\n");
    check_tags(TWO, far, 1,
               "problem.json: $.tags[0]: there is no tag \"elementwise\": choose one of "
               "vocabulary.json in the problems' folder, or add it there\n");
    check_tags(TWO, large, 1,
               "problem.json: $.tags[0]: there is no tag \"SCAN\": choose one of "
               "vocabulary.json in the problems' folder, or add it there\n");
    check_tags(TWO, twice, 2,
               "problem.json: $.tags[1]: the tag \"scan\" is there twice\n");
    check_tags(NULL, twice, 2,
               "problem.json: $.tags[1]: the tag \"scan\" is there twice\n");
}

static void
test_wrong_file(void **state)
{
    const char *const tags[] = {"scan"};

    (void)state;
    check_tags(
        "{}", tags, 1,
        "../vocabulary.json: $.tags: must be an object of words, each with what it "
        "means\n");
    check_tags(
        "[]", tags, 1,
        "../vocabulary.json: $.tags: must be an object of words, each with what it "
        "means\n");
    check_tags("{\"tags\": {\"scan\": 3, \"Scan\": \"One.\"}}", tags, 1,
               "../vocabulary.json: $.tags.scan: must be a sentence that says what the "
               "word means\n"
               "../vocabulary.json: $.tags.Scan: a word is made of a-z, 0-9 and -, at "
               "most 64 of them\n");
    check_tags("{\"tags\": {\"scan\": \"One.\", \"scan\": \"Two.\"}}", tags, 1,
               "../vocabulary.json: $.tags.scan: the word is there twice\n");
}

static void
test_lessons(void **state)
{
    static const char BOTH[] = "{\"tags\": {}, \"teaches\": {\"threads\": \"One.\"}}";
    const char *const lessons[] = {"threads", "thread"};
    const struct problem p = {.teaches = lessons, .teaches_count = 2};

    (void)state;
    check_words(BOTH, &p,
                "problem.json: $.teaches[1]: there is no lesson \"thread\": did you mean "
                "\"threads\"?\n");
    check_words("{\"tags\": {}}", &p, "");
    check_words("{\"tags\": {}, \"teaches\": []}", &p,
                "../vocabulary.json: $.teaches: must be an object of words, each with "
                "what it means\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_wrong_file),
        cmocka_unit_test(test_lessons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
