#include "cli/generate_words.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/answer.h"
#include "problem/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_BYTES_MAX ((size_t)1 << 20)
#define DEVICES "emu cuda:0 cuda:1"

struct word_list {
    char **word;
    size_t count;
};

/* Adds the word where the list does not have it. */
static void
list_add(struct word_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->word[i], word) == 0)
            return;
    list->word = xrealloc(list->word, (list->count + 1) * sizeof *list->word);
    list->word[list->count++] = xstrdup(word);
}

static int
compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Frees the list. The caller frees the text. */
static char *
list_take(struct word_list *list)
{
    struct buf text = {0};

    if (list->count > 0)
        qsort(list->word, list->count, sizeof *list->word, compare_words);
    for (size_t i = 0; i < list->count; i++) {
        buf_printf(&text, "%s%s", i > 0 ? " " : "", list->word[i]);
        free(list->word[i]);
    }
    free(list->word);
    return buf_take(&text);
}

/* Adds the tags of one problem. Tags are written as slugs are; another word is not for a
 * shell. */
static int
add_tags(const char *problems, const char *slug, struct word_list *tags, struct report *r)
{
    char *path = xasprintf("%s/%s/problem.json", problems, slug);
    struct buf text = {0};
    cJSON *spec = NULL;
    const cJSON *tag;

    if (file_read(path, SPEC_BYTES_MAX, &text, r) == 0)
        spec = json_parse(buf_str(&text), text.len, path, r);
    cJSON_ArrayForEach(tag, answer_array(spec, "tags"))
    {
        if (cJSON_IsString(tag) && slug_is_valid(tag->valuestring))
            list_add(tags, tag->valuestring);
    }
    buf_free(&text);
    free(path);
    cJSON_Delete(spec);
    return spec != NULL ? 0 : -1;
}

int
generate_words_read(const char *problems, struct generate_words *out, struct report *r)
{
    struct word_list slugs = {0}, tags = {0};
    DIR *folder = opendir(problems);
    const struct dirent *entry;
    int rc = 0;

    if (folder == NULL && errno != ENOENT)
        return report_errno(r, "%s cannot be read", problems);
    while (rc == 0 && folder != NULL && (entry = readdir(folder)) != NULL) {
        if (!slug_is_valid(entry->d_name))
            continue;
        list_add(&slugs, entry->d_name);
        rc = add_tags(problems, entry->d_name, &tags, r);
    }
    if (folder != NULL)
        closedir(folder);
    out->slugs = list_take(&slugs);
    out->tags = list_take(&tags);
    if (rc != 0)
        generate_words_free(out);
    return rc;
}

void
generate_words_free(struct generate_words *w)
{
    free(w->slugs);
    free(w->tags);
    *w = (struct generate_words){0};
}

const char *
generate_words_of_flag(const struct generate_words *w, enum flag flag)
{
    if (flag == FLAG_DEVICE)
        return DEVICES;
    if (flag == FLAG_PROBLEM && w->slugs[0] != '\0')
        return w->slugs;
    return flag == FLAG_TAG && w->tags[0] != '\0' ? w->tags : NULL;
}

const char *
generate_words_of_verb(const struct generate_words *w, const struct verb *verb)
{
    const bool takes_slugs = strncmp(verb->arguments, "SLUG", 4) == 0 ||
                             strncmp(verb->arguments, "[SLUG", 5) == 0;

    return takes_slugs && w->slugs[0] != '\0' ? w->slugs : NULL;
}
