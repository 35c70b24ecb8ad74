#include "daemon/slurm/sbatch_options.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GPUS_ASKED_MAX 1000000
#define UNREADABLE (-1)

/* What sbatch is told by the daemon itself, or what a pilot cannot be. */
static const char *const OWN_OPTIONS[] = {
    "--job-name", "-J", "--comment", "--parsable", "--output",    "-o",       "--error",
    "-e",         "-a", "--array",   "--wrap",     "--requeue",   "--wait",   "-W",
    "--time",     "-t", "--chdir",   "-D",         "--test-only", "--export",
};

/* What must be 1, since a pilot is one worker on one node. */
static const char *const SINGLE_OPTIONS[] = {"--nodes", "-N", "--ntasks", "-n"};

/* What a number of GPUs is asked for by. On one node and for one task each of these means
 * the same. A number for each socket is taken for that of one socket. */
static const char *const GPU_OPTIONS[] = {"--gpus", "-G", "--gpus-per-node",
                                          "--gpus-per-task", "--gpus-per-socket"};

/* What things of any kind are asked for by, GPUs among them. */
static const char *const GRES_OPTIONS[] = {"--gres", "--tres-per-task"};

#define LENGTH(list) (sizeof(list) / sizeof *(list))

/* sbatch's options of one letter that take no value, so that others may follow in the
 * same word. */
static const char FLAGS[] = "HIOQWhksuvV";

/* The option of the list that is this letter behind one dash, or NULL. */
static const char *
option_of_letter(char letter, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i][1] == letter)
            return list[i];
    return NULL;
}

/* The option of the list that the word says to sbatch, or NULL. As sbatch does, it takes
 * an abbreviation for what it begins, and letters together for options of one letter
 * each. The word's rest goes to *value, or NULL where there is none. */
static const char *
option_of(const char *word, const char *const *list, size_t count, const char **value)
{
    const size_t name = strcspn(word, "=");

    if (word[1] != '-') {
        const char *found = NULL, *at = word;

        do {
            found = option_of_letter(*++at, list, count);
        } while (found == NULL && *at != '\0' && strchr(FLAGS, *at) != NULL);
        *value = found != NULL && at[1] != '\0' ? at + 1 : NULL;
        return found;
    }
    *value = word[name] == '=' ? word + name + 1 : NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(word, list[i], name) == 0)
            return list[i];
    return NULL;
}

int
sbatch_option_check(const char *word, struct report *r)
{
    const char *value;
    const char *own = option_of(word, OWN_OPTIONS, LENGTH(OWN_OPTIONS), &value);
    const char *single;

    if (own != NULL)
        return report_fail(r, "options = ... %s: the judge says this option itself, %s",
                           word, own);
    single = option_of(word, SINGLE_OPTIONS, LENGTH(SINGLE_OPTIONS), &value);
    if (single == NULL || (strncmp(word, single, strlen(single)) == 0 && value != NULL &&
                           strcmp(value, "1") == 0))
        return 0;
    return report_fail(r,
                       "options = ... %s: a pilot is one worker on one node, so that "
                       "there is no %s but %s%s",
                       word, single, single, single[1] == '-' ? "=1" : "1");
}

/* --- GPUs ---------------------------------------------------------------- */

/* The number that is all of the text, or UNREADABLE. */
static int64_t
gpus_number(const char *text, size_t len)
{
    int64_t number = 0;

    if (len == 0)
        return UNREADABLE;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return UNREADABLE;
        number = number * 10 + (text[i] - '0');
        if (number > GPUS_ASKED_MAX)
            return UNREADABLE;
    }
    return number;
}

/* How many GPUs one item of a list asks for, as in "h200:2" or "2". A type alone, as in
 * "h200", is one where `type_is_one`. */
static int64_t
gpus_of_item(const char *item, size_t len, bool type_is_one)
{
    size_t at = len;

    while (at > 0 && item[at - 1] != ':' && item[at - 1] != '=')
        at--;
    if (type_is_one && len > 0 && (item[at] < '0' || item[at] > '9'))
        return at < len ? 1 : UNREADABLE;
    return gpus_number(item + at, len - at);
}

/* What follows the name "gpu" of an item of --gres or --tres-per-task, or NULL where it
 * is of something else, such as a license. */
static const char *
gres_behind_gpu(const char *item, size_t len)
{
    const char *at = item, *end = item + len;

    if (len > 5 && (strncmp(at, "gres/", 5) == 0 || strncmp(at, "gres:", 5) == 0))
        at += 5;
    if (end - at < 3 || strncmp(at, "gpu", 3) != 0)
        return NULL;
    at += 3;
    return at == end || *at == ':' || *at == '=' || *at == '/' ? at : NULL;
}

/* How many GPUs a list asks for: UNREADABLE where an item does not say it. *any is false
 * where none asks for a GPU. Of a gres only the items of GPUs count. */
static int64_t
gpus_of_list(const char *list, bool is_gres, bool *any)
{
    int64_t sum = 0;

    *any = false;
    for (const char *item = list; item != NULL;) {
        const size_t len = strcspn(item, ",");
        const char *behind = is_gres ? gres_behind_gpu(item, len) : item;
        int64_t number = 0;

        if (is_gres && behind == item + len)
            number = 1;
        else if (behind != NULL)
            number = gpus_of_item(behind + is_gres,
                                  (size_t)(item + len - behind) - is_gres, is_gres);
        *any = *any || behind != NULL;
        if (number == UNREADABLE)
            return UNREADABLE;
        sum += number;
        item = item[len] == ',' ? item + len + 1 : NULL;
    }
    return sum;
}

/* `key` and `word` are what the config file says. */
static int
gpus_check(const char *key, const char *word, int64_t asked, int gpus, struct report *r)
{
    if (asked == gpus)
        return 0;
    if (asked == UNREADABLE)
        return report_fail(r,
                           "%s%s: no number of GPUs can be read there, and a pilot of "
                           "this group has gpus = %d",
                           key, word, gpus);
    return report_fail(r,
                       "%s%s: it asks for %lld GPU%s, and a pilot of this group has "
                       "gpus = %d",
                       key, word, (long long)asked, asked == 1 ? "" : "s", gpus);
}

int
sbatch_option_check_gpus(const char *word, int gpus, struct report *r)
{
    static const char KEY[] = "options = ... ";
    const char *value;
    int64_t asked;
    bool any;

    if (option_of(word, GPU_OPTIONS, LENGTH(GPU_OPTIONS), &value) != NULL) {
        asked = value != NULL ? gpus_of_list(value, false, &any) : UNREADABLE;
        return gpus_check(KEY, word, asked, gpus, r);
    }
    if (option_of(word, GRES_OPTIONS, LENGTH(GRES_OPTIONS), &value) == NULL)
        return 0;
    if (value == NULL)
        return gpus_check(KEY, word, UNREADABLE, gpus, r);
    asked = gpus_of_list(value, true, &any);
    return any ? gpus_check(KEY, word, asked, gpus, r) : 0;
}

int
sbatch_gres_check_gpus(const char *gres, int gpus, struct report *r)
{
    bool any;
    const int64_t asked = gpus_of_list(gres, true, &any);

    return any ? gpus_check("gres = ", gres, asked, gpus, r) : 0;
}
