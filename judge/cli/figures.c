#include "cli/figures.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/jsonl.h"
#include "numbers/pass_at_k.h"
#include "numbers/statistics.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const long FIGURES_K[FIGURES_K_COUNT] = {1, 2, 5, 10, 50, 100};
const double FIGURES_P[FIGURES_P_COUNT] = {0.5, 1, 1.5, 2, 4};

/* With fewer samples no interval of a median has 95%. */
#define MEDIAN_LEAST 6

static const char *const KEYS[] = {
    "group",    "name",   "problems",  "lines",         "passed",   "share",    "pass@1",
    "pass@2",   "pass@5", "pass@10",   "pass@50",       "pass@100", "fast_0.5", "fast_1",
    "fast_1.5", "fast_2", "fast_4",    "surely_faster", "timed",    "time_ns",  "low_ns",
    "high_ns",  "ratio",  "ratio_low", "ratio_high",    NULL};

enum { KEY_PASS = 6, KEY_FAST = 12 };

const char *const *
figures_keys(void)
{
    return KEYS;
}

/* --- reading -------------------------------------------------------------- */

static void
add_tags(cJSON *to, const cJSON *from)
{
    const cJSON *tag;

    cJSON_ArrayForEach(tag, from)
    {
        if (cJSON_IsString(tag))
            cJSON_AddItemToArray(to, cJSON_CreateString(tag->valuestring));
    }
}

static void
figures_add(struct figures *f, const cJSON *line)
{
    const char *verdict = answer_string(line, "verdict"),
               *stage = answer_string(line, "stage");
    const double time = answer_number(line, "time_ns");
    struct sample *s;

    if (verdict[0] == '\0') {
        f->errors++;
        return;
    }
    f->cached += answer_true(line, "cached");
    f->disagreements += cJSON_HasObjectItem(line, "disagreement") != 0;
    if (strcmp(verdict, "judge_error") == 0 || strcmp(verdict, "cancelled") == 0) {
        f->failures++;
        return;
    }
    if (f->count == f->room) {
        f->room = f->room * 2 + 64;
        f->sample = xrealloc(f->sample, f->room * sizeof *f->sample);
    }
    s = &f->sample[f->count++];
    *s = (struct sample){
        .problem = xstrdup(answer_string(line, "problem")),
        .difficulty = xstrdup(answer_string(line, "difficulty")),
        .verdict = xstrdup(verdict),
        .stage = xstrdup(stage),
        .board = xstrdup(answer_string(line, "board")),
        .tags = cJSON_CreateArray(),
        .passed = strcmp(verdict, "accepted") == 0 && strcmp(stage, "compile") != 0,
        .baselines = cJSON_Duplicate(answer_array(line, "baselines"), true)};
    s->time_ns = s->passed && time > 0 ? time : 0;
    add_tags(s->tags, answer_array(line, "tags"));
    add_tags(s->tags, answer_array(line, "problem_tags"));
}

static int
by_text(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* The text that is there most often, the first of several by its letters; "" of none. */
static const char *
most_common(const char **text, size_t count)
{
    const char *best = "";
    size_t most = 0;

    qsort(text, count, sizeof *text, by_text);
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i; j < count && strcmp(text[i], text[j]) == 0; j++)
            ;
        if (j - i > most) {
            most = j - i;
            best = text[i];
        }
    }
    return best;
}

static void
choose_baseline(struct figures *f, const char *asked)
{
    size_t count = 0, n = 0;
    const char **names;
    const cJSON *b;

    for (size_t i = 0; i < f->count; i++)
        count += (size_t)cJSON_GetArraySize(f->sample[i].baselines);
    names = xcalloc(count + 1, sizeof *names);
    for (size_t i = 0; i < f->count; i++)
        cJSON_ArrayForEach(b, f->sample[i].baselines)
        {
            names[n++] = answer_string(b, "name");
        }
    f->baseline = xstrdup(asked != NULL ? asked : most_common(names, n));
    free(names);
}

static void
choose_board(struct figures *f)
{
    const char **names = xcalloc(f->count + 1, sizeof *names);
    size_t n = 0;

    for (size_t i = 0; i < f->count; i++)
        if (f->sample[i].time_ns > 0)
            names[n++] = f->sample[i].board;
    f->board = xstrdup(most_common(names, n));
    free(names);
}

/* Keeps the chosen baseline alone, and the times on the board alone. */
static void
sample_settle(struct sample *s, const struct figures *f)
{
    const cJSON *b;

    if (strcmp(s->board, f->board) != 0)
        s->time_ns = 0;
    cJSON_ArrayForEach(b, s->baselines)
    {
        const double ratio = answer_number(b, "ratio"),
                     low = answer_number(b, "ratio_low");

        if (strcmp(answer_string(b, "name"), f->baseline) != 0)
            continue;
        s->baseline = 1;
        if (s->time_ns > 0 && ratio > 0 && low > 0) {
            s->ratio = ratio;
            s->low = low;
        }
    }
    cJSON_Delete(s->baselines);
    s->baselines = NULL;
}

int
figures_read(const char *path, const char *baseline, struct figures *out,
             struct report *r)
{
    struct jsonl in;
    int rc = jsonl_open(&in, path, r), more = 0;

    *out = (struct figures){0};
    while (rc == 0 && (more = jsonl_next(&in, r)) > 0) {
        cJSON *line = in.whole ? jsonl_parse(&in, r) : NULL;

        if (!in.whole) /* it is being written */
            break;
        if (line == NULL)
            rc = -1;
        else
            figures_add(out, line);
        cJSON_Delete(line);
    }
    jsonl_close(&in);
    if (rc != 0 || more < 0)
        return -1;
    choose_baseline(out, baseline);
    choose_board(out);
    for (size_t i = 0; i < out->count; i++)
        sample_settle(&out->sample[i], out);
    return 0;
}

void
figures_free(struct figures *f)
{
    for (size_t i = 0; i < f->count; i++) {
        struct sample *s = &f->sample[i];

        free(s->problem);
        free(s->difficulty);
        free(s->verdict);
        free(s->stage);
        free(s->board);
        cJSON_Delete(s->tags);
        cJSON_Delete(s->baselines);
    }
    free(f->sample);
    free(f->baseline);
    free(f->board);
    *f = (struct figures){0};
}

/* --- rows ----------------------------------------------------------------- */

/* Some of the samples, sorted by their problems. */
struct some {
    const struct sample **sample;
    size_t count;
};

static void
add_or_null(cJSON *row, const char *key, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(row, key, value);
    else
        cJSON_AddNullToObject(row, key);
}

/* Six digits behind the point are more than any number of lines can tell. */
static double
rounded(double share)
{
    return round(share * 1e6) / 1e6;
}

/* The mean of pass@k over the problems that have k lines. */
static double
some_pass_at(const struct some *s, long k)
{
    double sum = 0;
    long problems = 0;

    for (size_t i = 0, j; i < s->count; i = j) {
        long passed = 0;

        for (j = i;
             j < s->count && strcmp(s->sample[i]->problem, s->sample[j]->problem) == 0;
             j++)
            passed += s->sample[j]->passed;
        if ((long)(j - i) >= k) {
            sum += pass_at_k((long)(j - i), passed, k);
            problems++;
        }
    }
    return problems > 0 ? sum / (double)problems : (double)NAN;
}

static double
some_fast(const struct some *s, double p, int surely)
{
    long with = 0, fast = 0;

    for (size_t i = 0; i < s->count; i++) {
        with += s->sample[i]->baseline > 0;
        fast += (surely ? s->sample[i]->low : s->sample[i]->ratio) > p;
    }
    return with > 0 ? (double)fast / (double)with : (double)NAN;
}

double
figures_fast(const struct figures *f, double p, int surely)
{
    const struct sample **list = xcalloc(f->count + 1, sizeof(struct sample *));
    double share;

    for (size_t i = 0; i < f->count; i++)
        list[i] = &f->sample[i];
    share = some_fast(&(struct some){list, f->count}, p, surely);
    free(list);
    return share;
}

/* Adds a median with its interval. `values` has `count` numbers. */
static void
add_median(cJSON *row, const char *const keys[3], const double *values, size_t count)
{
    const int n = count < INT_MAX ? (int)count : INT_MAX;
    const bool sure = n >= MEDIAN_LEAST;
    const struct interval interval =
        sure ? median_interval(values, n) : (struct interval){NAN, NAN};

    add_or_null(row, keys[0], n > 0 ? quantile(values, n, 0.5) : (double)NAN);
    add_or_null(row, keys[1], interval.low);
    add_or_null(row, keys[2], interval.high);
}

static void
add_medians(cJSON *row, const struct some *s, bool one_problem)
{
    static const char *const TIME[] = {"time_ns", "low_ns", "high_ns"}, *const RATIO[] = {
                                                                            "ratio",
                                                                            "ratio_low",
                                                                            "ratio_high"};
    double *times = xcalloc(s->count + 1, sizeof *times),
           *ratios = xcalloc(s->count + 1, sizeof *ratios);
    size_t timed = 0, compared = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (s->sample[i]->time_ns > 0)
            times[timed++] = s->sample[i]->time_ns;
        if (s->sample[i]->ratio > 0)
            ratios[compared++] = s->sample[i]->ratio;
    }
    cJSON_AddNumberToObject(row, "timed", (double)timed);
    /* Times of different problems have no median that says anything. */
    add_median(row, TIME, times, one_problem ? timed : 0);
    add_median(row, RATIO, ratios, compared);
    free(times);
    free(ratios);
}

static cJSON *
some_row(const struct some *s, const char *group, const char *name)
{
    cJSON *row = cJSON_CreateObject();
    long passed = 0, problems = 0;

    for (size_t i = 0; i < s->count; i++) {
        passed += s->sample[i]->passed;
        problems +=
            i == 0 || strcmp(s->sample[i]->problem, s->sample[i - 1]->problem) != 0;
    }
    cJSON_AddStringToObject(row, "group", group);
    cJSON_AddStringToObject(row, "name", name);
    cJSON_AddNumberToObject(row, "problems", (double)problems);
    cJSON_AddNumberToObject(row, "lines", (double)s->count);
    cJSON_AddNumberToObject(row, "passed", (double)passed);
    add_or_null(row, "share", rounded((double)passed / (double)s->count));
    for (int i = 0; i < FIGURES_K_COUNT; i++)
        add_or_null(row, KEYS[KEY_PASS + i], rounded(some_pass_at(s, FIGURES_K[i])));
    for (int i = 0; i < FIGURES_P_COUNT; i++)
        add_or_null(row, KEYS[KEY_FAST + i], rounded(some_fast(s, FIGURES_P[i], 0)));
    add_or_null(row, KEYS[KEY_FAST + FIGURES_P_COUNT], rounded(some_fast(s, 1, 1)));
    add_medians(row, s, problems == 1);
    return row;
}

/* --- groups --------------------------------------------------------------- */

enum group { GROUP_ALL, GROUP_PROBLEM, GROUP_DIFFICULTY, GROUP_TAG, GROUP_COUNT };

static const char *const GROUPS[GROUP_COUNT] = {"all", "problem", "difficulty", "tag"};

/* How many names of this kind a sample has. */
static int
sample_names(const struct sample *s, enum group group)
{
    return group == GROUP_TAG ? cJSON_GetArraySize(s->tags) : 1;
}

/* `tag` is the item of a list, where there is one, so that none is looked for twice. */
static const char *
sample_name(const struct sample *s, enum group group, const cJSON *tag)
{
    switch (group) {
    case GROUP_PROBLEM:
        return s->problem;
    case GROUP_DIFFICULTY:
        return s->difficulty;
    case GROUP_TAG:
        return tag != NULL ? tag->valuestring : "";
    default:
        return "";
    }
}

static bool
sample_has(const struct sample *s, enum group group, const char *name)
{
    const cJSON *tag = group == GROUP_TAG ? s->tags->child : NULL;

    if (group != GROUP_TAG)
        return strcmp(sample_name(s, group, NULL), name) == 0;
    for (; tag != NULL; tag = tag->next)
        if (strcmp(tag->valuestring, name) == 0)
            return true;
    return false;
}

static int
by_problem(const void *x, const void *y)
{
    const struct sample *const *a = x, *const *b = y;

    return strcmp((*a)->problem, (*b)->problem);
}

/* The names of a kind of group, sorted, each as often as it is there. */
static const char **
group_names(const struct figures *f, enum group group, size_t *count)
{
    const char **names;
    size_t n = 0;

    for (size_t i = 0; i < f->count; i++)
        n += (size_t)sample_names(&f->sample[i], group);
    names = xcalloc(n + 1, sizeof *names);
    *count = n;
    n = 0;
    for (size_t i = 0; i < f->count; i++) {
        const cJSON *tag = f->sample[i].tags->child;

        if (group != GROUP_TAG)
            names[n++] = sample_name(&f->sample[i], group, NULL);
        for (; group == GROUP_TAG && tag != NULL; tag = tag->next)
            names[n++] = sample_name(&f->sample[i], group, tag);
    }
    qsort(names, *count, sizeof *names, by_text);
    return names;
}

static void
add_group(cJSON *rows, const struct figures *f, const struct sample **sorted,
          enum group group)
{
    struct some some = {.sample = xcalloc(f->count + 1, sizeof(struct sample *))};
    size_t count;
    const char **names = group_names(f, group, &count);

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(names[i], names[i - 1]) == 0)
            continue;
        some.count = 0;
        for (size_t k = 0; k < f->count; k++)
            if (sample_has(sorted[k], group, names[i]))
                some.sample[some.count++] = sorted[k];
        cJSON_AddItemToArray(rows, some_row(&some, GROUPS[group], names[i]));
    }
    free(names);
    free(some.sample);
}

cJSON *
figures_rows(const struct figures *f)
{
    const struct sample **sorted = xcalloc(f->count + 1, sizeof(struct sample *));
    cJSON *rows = cJSON_CreateArray();

    for (size_t i = 0; i < f->count; i++)
        sorted[i] = &f->sample[i];
    qsort(sorted, f->count, sizeof(struct sample *), by_problem);
    for (int group = GROUP_ALL; group < GROUP_COUNT; group++)
        add_group(rows, f, sorted, (enum group)group);
    free(sorted);
    return rows;
}

cJSON *
figures_verdicts(const struct figures *f)
{
    const char **words = xcalloc(f->count + 1, sizeof *words);
    cJSON *rows = cJSON_CreateArray();

    for (size_t i = 0; i < f->count; i++)
        words[i] = xasprintf("%s\n%s", f->sample[i].verdict, f->sample[i].stage);
    qsort(words, f->count, sizeof *words, by_text);
    for (size_t i = 0, j; i < f->count; i = j) {
        const size_t len = strcspn(words[i], "\n");
        char *verdict = xasprintf("%.*s", (int)len, words[i]);
        cJSON *row = cJSON_CreateObject();

        for (j = i; j < f->count && strcmp(words[i], words[j]) == 0; j++)
            ;
        cJSON_AddStringToObject(row, "verdict", verdict);
        cJSON_AddStringToObject(row, "stage", words[i] + len + 1);
        cJSON_AddNumberToObject(row, "lines", (double)(j - i));
        cJSON_AddItemToArray(rows, row);
        free(verdict);
    }
    for (size_t i = 0; i < f->count; i++)
        free((char *)(uintptr_t)words[i]);
    free(words);
    return rows;
}
