/* Reads vocabulary.json, and compares the words of a problem with it. */
#include "problem/vocabulary.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "problem/names.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VOCABULARY "vocabulary.json"
#define VOCABULARY_BYTES_MAX ((size_t)1 << 20)

/* Where errors go. */
struct words_check {
    problem_error_fn *on_error;
    void *context;
    int errors;
};

static void
words_fail(struct words_check *c, const char *where, const char *sentence)
{
    c->errors++;
    c->on_error(c->context, where, sentence);
}

/* Is this a list of words, each with what it means? */
static bool
words_are_right(struct words_check *c, const cJSON *list, const char *kind)
{
    const int before = c->errors;
    const cJSON *word;

    if (!cJSON_IsObject(list)) {
        char *where = xasprintf("../" VOCABULARY ": $.%s", kind);

        words_fail(c, where, "must be an object of words, each with what it means");
        free(where);
        return false;
    }
    cJSON_ArrayForEach(word, list)
    {
        char *where = xasprintf("../" VOCABULARY ": $.%s.%.80s", kind, word->string);

        if (cJSON_GetObjectItemCaseSensitive(list, word->string) != word)
            words_fail(c, where, "the word is there twice");
        else if (!slug_is_valid(word->string))
            words_fail(c, where, "a word is made of a-z, 0-9 and -, at most 64 of them");
        else if (!cJSON_IsString(word) || word->valuestring[0] == '\0')
            words_fail(c, where, "must be a sentence that says what the word means");
        free(where);
    }
    return c->errors == before;
}

static void
report_unknown_word(struct words_check *c, const cJSON *list, const char *where,
                    const char *kind, const char *word)
{
    const size_t count = (size_t)cJSON_GetArraySize(list);
    const char **known = xcalloc(count + 1, sizeof *known), *meant;
    const cJSON *item;
    char *sentence;
    size_t n = 0;

    cJSON_ArrayForEach(item, list) known[n++] = item->string;
    meant = nearest_name(word, known, n);
    sentence = meant != NULL
                   ? xasprintf("there is no %s \"%.80s\": did you mean \"%s\"?", kind,
                               word, meant)
                   : xasprintf("there is no %s \"%.80s\": choose one of " VOCABULARY
                               " in the problems' folder, or add it there",
                               kind, word);
    words_fail(c, where, sentence);
    free(sentence);
    free(known);
}

/* Checks one list of a problem's words. list: those that there are; NULL: all are. */
static void
words_check_list(struct words_check *c, const cJSON *list, const char *key,
                 const char *kind, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        char *where = xasprintf("problem.json: $.%s[%d]", key, i);
        int before = 0;

        while (strcmp(words[before], words[i]) != 0)
            before++;
        if (before < i) {
            char *sentence = xasprintf("the %s \"%.80s\" is there twice", kind, words[i]);

            words_fail(c, where, sentence);
            free(sentence);
        } else if (list != NULL &&
                   cJSON_GetObjectItemCaseSensitive(list, words[i]) == NULL) {
            report_unknown_word(c, list, where, kind, words[i]);
        }
        free(where);
    }
}

/* The file of the problems' folder, which the caller deletes; NULL where there is none,
 * or where what is wrong with it has been reported. */
static cJSON *
vocabulary_read(const char *dir, struct words_check *c)
{
    char *path = xasprintf("%s/" VOCABULARY, dir);
    struct report r = {0};
    cJSON *root = NULL;

    if (access(path, F_OK) == 0) {
        root = json_read_file(path, VOCABULARY_BYTES_MAX, &r);
        if (root == NULL)
            words_fail(c, "../" VOCABULARY, r.text);
    }
    free(path);
    return root;
}

int
vocabulary_check(const char *dir, const struct problem *p, problem_error_fn *on_error,
                 void *context)
{
    struct words_check c = {.on_error = on_error, .context = context};
    cJSON *root = vocabulary_read(dir, &c);
    const cJSON *tags = cJSON_GetObjectItemCaseSensitive(root, "tags");
    const cJSON *lessons = cJSON_GetObjectItemCaseSensitive(root, "teaches");

    if (root != NULL && !words_are_right(&c, tags, "tags"))
        tags = NULL;
    if (lessons != NULL && !words_are_right(&c, lessons, "teaches"))
        lessons = NULL;
    words_check_list(&c, tags, "tags", "tag", p->tags, p->tag_count);
    words_check_list(&c, lessons, "teaches", "lesson", p->teaches, p->teaches_count);
    cJSON_Delete(root);
    return c.errors;
}

cJSON *
vocabulary_lessons(const char *dir, struct report *r)
{
    char *path = xasprintf("%s/" VOCABULARY, dir);
    cJSON *root = NULL, *lessons = NULL;

    if (access(path, F_OK) != 0) {
        lessons = cJSON_CreateObject();
    } else if ((root = json_read_file(path, VOCABULARY_BYTES_MAX, r)) != NULL) {
        lessons = cJSON_DetachItemFromObjectCaseSensitive(root, "teaches");
        if (lessons == NULL)
            lessons = cJSON_CreateObject();
    }
    cJSON_Delete(root);
    free(path);
    return lessons;
}

struct course *
vocabulary_course(const cJSON *lessons)
{
    const char **names = xcalloc((size_t)cJSON_GetArraySize(lessons) + 1, sizeof *names);
    struct course *c;
    const cJSON *lesson;
    size_t count = 0;

    cJSON_ArrayForEach(lesson, lessons) names[count++] = lesson->string;
    c = course_new(names, count);
    free(names);
    return c;
}
