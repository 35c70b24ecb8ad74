#include "cli/grade_run.h"

#include "base/file.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/grade_ask.h"
#include "cli/submit.h"
#include "problem/names.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* The judge is asked about what is in flight so often; and less often where asking takes
 * long, so that it is no work beside judging. */
#define SWEEP_MS 100
#define SWEEP_SHARE 8 /* asking takes at most one part in so many */
#define WAITING_MAX 4 /* a sweep ends behind so many that have not begun */
#define SHOW_NS UINT64_C(500000000)
#define NS_PER_MS UINT64_C(1000000)

/* --- counts ------------------------------------------------------------- */

static void
counts_add(struct grade_counts *c, const char *verdict)
{
    int i = 0;

    while (i < c->word_count && strcmp(c->words[i], verdict) != 0)
        i++;
    if (i == c->word_count) {
        if (c->word_count == (int)(sizeof c->words / sizeof *c->words))
            return;
        c->words[c->word_count++] = xstrdup(verdict);
    }
    c->verdicts[i]++;
}

static void
grade_show(struct grade *g)
{
    const uint64_t now = now_ns();
    const double minutes = (double)(now - g->begun_ns) / 6e10;
    const long done = g->counts.judged + g->counts.cached + g->counts.errors,
               left = g->total - g->counts.skipped - done;
    char text[160];

    if (!g->cli->err.live || now - g->shown_ns < SHOW_NS)
        return;
    g->shown_ns = now;
    if (done == 0 || left < 0)
        snprintf(text, sizeof text, "graded %ld lines, %d in flight", done, g->in_flight);
    else
        snprintf(text, sizeof text,
                 "graded %ld of %ld, %.0f a minute, about %.0f minutes left", done,
                 done + left, (double)done / minutes,
                 (double)left * minutes / (double)done);
    terminal_rewrite(&g->cli->err, text);
}

/* Writes a line, which it deletes. */
static int
grade_write(struct grade *g, cJSON *line)
{
    const char *verdict = answer_string(line, "verdict");
    int status = 0;

    if (verdict[0] == '\0')
        g->counts.errors++;
    else if (answer_true(line, "cached"))
        g->counts.cached++;
    else
        g->counts.judged++;
    counts_add(&g->counts, verdict[0] == '\0' ? "error" : verdict);
    if (grade_output_add(&g->out, line, &g->cli->report) != 0)
        status = EXIT_JUDGE_FAILED;
    cJSON_Delete(line);
    grade_show(g);
    return status;
}

/* Where the file has an error of this line already, as after --resume, that stands. */
static int
grade_write_error(struct grade *g, const struct grade_line *line, const char *why)
{
    if (grade_output_has_error(&g->out, line->number)) {
        g->counts.skipped++;
        return 0;
    }
    return grade_write(g, grade_error_line(line->number, line->id, why));
}

/* --- problems ----------------------------------------------------------- */

static int
grade_ask_problem(struct grade *g, const char *slug, struct grade_problem **out)
{
    char *escaped = client_escape(slug), *device = client_escape(g->board);
    char *path = xasprintf("/api/problems/%s", escaped);
    char *board_path =
        xasprintf("/api/problems/%s/board?device=%s&limit=1", escaped, device);
    cJSON *problem = NULL, *board = NULL;
    struct report why;
    int status = 0;
    enum grade_answer answer = grade_get(g->cli, path, &problem, &why, &status);

    if (answer == ANSWER_OK)
        answer = grade_get(g->cli, board_path, &board, &why, &status);
    if (answer == ANSWER_OK)
        *out = grade_problem_new(slug, problem, board);
    else if (answer == ANSWER_REFUSED)
        *out = grade_problem_refused(slug, why.text);
    cJSON_Delete(problem);
    cJSON_Delete(board);
    free(path);
    free(board_path);
    free(escaped);
    free(device);
    return status;
}

static int
grade_find_problem(struct grade *g, const char *slug, struct grade_problem **out)
{
    struct grade_problem *p = g->problems;
    int status = 0;

    while (p != NULL && strcmp(p->slug, slug) != 0)
        p = p->next;
    if (p == NULL) {
        status = grade_ask_problem(g, slug, &p);
        if (p != NULL) {
            p->next = g->problems;
            g->problems = p;
        }
    }
    *out = p;
    return status;
}

/* --- items -------------------------------------------------------------- */

static void
item_free(struct grade_item *item)
{
    grade_line_free(&item->line);
    cJSON_Delete(item->emu);
    free(item);
}

static void
grade_remove(struct grade *g, struct grade_item *item)
{
    struct grade_item **at = &g->first;

    while (*at != item)
        at = &(*at)->next;
    *at = item->next;
    g->in_flight--;
    item_free(item);
}

/* What a result follows from, as docs/grading.md defines it. */
static void
item_make_key(const struct grade *g, struct grade_item *item)
{
    char source[65];
    char *text;

    hash_hex(item->line.source, strlen(item->line.source), source);
    text = xasprintf("warpjudge grade 1\nsource %s\nproblem %s\nmeaning %s\ntoolkit %s\n"
                     "stage %s\nboard %s\nseed %s\nboth %d\n",
                     source, item->line.problem, item->problem->meaning, g->toolkit,
                     grade_stage_name(g->last), g->board, item->line.seed, g->both);
    hash_hex(text, strlen(text), item->key);
    free(text);
}

static const char *
item_mode(const struct grade *g, const struct grade_item *item)
{
    if (item->stage == STAGE_COMPILE)
        return "grade_compile";
    return item->stage == g->last ? "grade" : "grade_samples";
}

static cJSON *
item_body(struct grade *g, const struct grade_item *item)
{
    const bool on_emu = item->stage == STAGE_EMU;
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "problem", item->line.problem);
    cJSON_AddStringToObject(body, "device", on_emu ? "emu" : g->device);
    submit_add_user(g->cli, body);
    cJSON_AddStringToObject(body, "filename", "submission.cu");
    cJSON_AddStringToObject(body, "mode", item_mode(g, item));
    if (item->line.seed[0] != '\0')
        cJSON_AddStringToObject(body, "seed", item->line.seed);
    if (cJSON_AddStringToObject(body, "source", item->line.source) == NULL)
        die(EXIT_JUDGE_FAILED, "out of memory");
    return body;
}

/* Writes the line of an item that the judge refuses, and removes it. */
static int
grade_give_up(struct grade *g, struct grade_item *item, const char *why)
{
    char *text = xasprintf("%s:%ld: %s", g->in.path, item->line.number, why);
    const int status = grade_write_error(g, &item->line, text);

    free(text);
    grade_remove(g, item);
    return status;
}

static int
grade_send(struct grade *g, struct grade_item *item)
{
    cJSON *body = item_body(g, item), *answer = NULL;
    char hash[65];
    /* After a failure of the judge's it is another submission, and not that one again. */
    char *key = xasprintf("%s %s %ld %s %s %d", g->out.run, item->line.id,
                          item->line.number, item->key, item_mode(g, item),
                          grade_output_failures(&g->out, item->line.id));
    struct report why;
    int status = 0;
    enum grade_answer said;

    hash_hex(key, strlen(key), hash);
    said = grade_post(g->cli, "/api/submissions", hash, body, &answer, &why, &status);
    cJSON_Delete(body);
    free(key);
    if (said == ANSWER_OK) {
        item->id = answer_count(answer, "id");
        item->sent = true;
    } else if (said == ANSWER_LATER) {
        g->later_ns =
            now_ns() + (uint64_t)client_retry_after_s(g->cli->client) * 1000 * NS_PER_MS;
    } else if (said == ANSWER_REFUSED) {
        status = grade_give_up(g, item, why.text);
    }
    cJSON_Delete(answer);
    return status;
}

/* Does another line in flight, which came before, have the same key? */
static bool
item_has_twin(const struct grade *g, const struct grade_item *item)
{
    for (const struct grade_item *other = g->first; other != item; other = other->next)
        if (strcmp(other->key, item->key) == 0)
            return true;
    return false;
}

/* The line of the same key that was judged, or NULL. What stands in the file is signed
 * once more only where we have signed it: others may have written the rest. */
static cJSON *
item_cached(const struct grade *g, const struct grade_item *item)
{
    cJSON *judged = grade_output_cached(&g->out, item->key);

    if (judged == NULL || !g->signs || grade_sign_is_own(&g->signer, judged))
        return judged;
    cJSON_Delete(judged);
    return NULL;
}

/* Goes on with one that is not under way. */
static int
grade_step_item(struct grade *g, struct grade_item *item)
{
    cJSON *judged;
    int status;

    if (item->emu == NULL && (judged = item_cached(g, item)) != NULL) {
        grade_cached_line(judged, &item->line);
        if (g->signs)
            grade_sign_cached(&g->signer, judged, item->line.id);
        else
            cJSON_DeleteItemFromObjectCaseSensitive(judged, "bundle");
        status = grade_write(g, judged);
        grade_remove(g, item);
        return status;
    }
    if (item_has_twin(g, item) || now_ns() < g->later_ns)
        return 0;
    return grade_send(g, item);
}

/* --- results ------------------------------------------------------------ */

/* Takes the judge's last word, or goes on to the next stage. */
static int
grade_take_result(struct grade *g, struct grade_item *item, cJSON *submission)
{
    const bool accepted = strcmp(answer_string(submission, "verdict"), "accepted") == 0 &&
                          grade_rejected_for(submission) == NULL,
               compiled =
                   strcmp(answer_string(submission, "verdict"), "compile_error") != 0;
    cJSON *line;
    int status;

    /* What does not compile for emu may need a newer GPU, for which it is compiled anew.
     * Then emu has judged nothing. */
    if (item->stage < g->last && (accepted || !compiled || g->both)) {
        cJSON_Delete(item->emu);
        item->emu = compiled ? submission : NULL;
        if (!compiled)
            cJSON_Delete(submission);
        item->stage = g->last;
        item->sent = false;
        return grade_send(g, item);
    }
    line = grade_result_line(&item->line, item->problem, item->key, item->stage,
                             submission, item->emu);
    if (g->signs)
        grade_sign(&g->signer, line, &item->line, submission);
    status = grade_write(g, line);
    cJSON_Delete(submission);
    grade_remove(g, item);
    return status;
}

/* Says, once for each reason, why a line may wait for ever: no worker judges on emu,
 * where all are for a GPU. */
static void
grade_tell_reason(struct grade *g, const cJSON *submission)
{
    const char *reason = answer_string(submission, "waiting_reason");

    if (reason[0] == '\0' || !known_add(&g->reasons, reason, 0, 0))
        return;
    if (g->cli->err.live)
        terminal_rewrite(&g->cli->err, "");
    terminal_paragraph(&g->cli->err, STYLE_WARN, 0, "lines wait: %s", reason);
    fflush(g->cli->err.file);
}

/* *waits: it has not begun. */
static int
grade_look_at(struct grade *g, struct grade_item *item, bool *waits)
{
    char *path = xasprintf("/api/submissions/%lld", (long long)item->id);
    cJSON *submission = NULL;
    struct report why;
    int status = 0;
    const enum grade_answer said = grade_get(g->cli, path, &submission, &why, &status);

    free(path);
    if (said == ANSWER_REFUSED)
        return grade_give_up(g, item, why.text);
    if (said != ANSWER_OK)
        return status;
    if (strcmp(answer_string(submission, "state"), "done") == 0)
        return grade_take_result(g, item, submission);
    *waits = answer_count(submission, "position") > 0;
    grade_tell_reason(g, submission);
    cJSON_Delete(submission);
    return 0;
}

/* Looks at what is in flight, the oldest first. Behind some that have not begun nothing
 * is done, as a rule. */
static int
grade_sweep(struct grade *g)
{
    int status = 0, waiting = 0;

    for (struct grade_item *item = g->first, *next; item != NULL && status == 0;
         item = next) {
        bool waits = false;

        next = item->next;
        if (!item->sent)
            status = grade_step_item(g, item);
        else if (waiting < WAITING_MAX)
            status = grade_look_at(g, item, &waits);
        waiting += waits;
    }
    return status;
}

/* --- lines -------------------------------------------------------------- */

static int
grade_begin_item(struct grade *g, struct grade_line *line)
{
    struct grade_problem *p = NULL;
    struct grade_item *item, **end = &g->first;
    char *why;
    int status = grade_find_problem(g, line->problem, &p);

    if (status == 0 && p->refused != NULL) {
        why = xasprintf("%s:%ld: %s", g->in.path, line->number, p->refused);
        status = grade_write_error(g, line, why);
        free(why);
    }
    if (status != 0 || p->refused != NULL) {
        grade_line_free(line);
        return status;
    }
    item = xcalloc(1, sizeof *item);
    item->line = *line;
    item->problem = p;
    item->stage = g->cascade && p->on_emu ? STAGE_EMU : g->last;
    item_make_key(g, item);
    while (*end != NULL)
        end = &(*end)->next;
    *end = item;
    g->in_flight++;
    return grade_step_item(g, item);
}

/* Reads the current line, unless it is done. */
static int
grade_take_line(struct grade *g)
{
    struct grade_line line;
    struct report r = {0};
    int status = 0;

    if (grade_line_read(&g->in, &line, &r) == 0 &&
        !known_add(&g->seen, line.id, (off_t)line.number, 0))
        report_fail(&r, "%s:%ld: the id \"%.80s\" is that of line %lld", g->in.path,
                    line.number, line.id, (long long)known_find(&g->seen, line.id)->at);
    if (!report_is_set(&r) && !grade_output_has_id(&g->out, line.id)) {
        grade_ahead_add(&g->ahead, &line);
        return 0;
    }
    if (report_is_set(&r))
        status = grade_write_error(g, &line, r.text);
    else
        g->counts.skipped++;
    grade_line_free(&line);
    return status;
}

/* Reads lines ahead. */
static int
grade_read_ahead(struct grade *g)
{
    int status = 0;

    while (status == 0 && !g->read_all && !grade_ahead_is_full(&g->ahead)) {
        const int more = jsonl_next(&g->in, &g->cli->report);

        if (more < 0)
            return EXIT_BAD_INPUT;
        g->read_all = more == 0;
        if (more > 0)
            status = grade_take_line(g);
    }
    return status;
}

/* Begins lines until as many are in flight as may be. */
static int
grade_fill(struct grade *g)
{
    struct grade_line line;
    int status = 0;

    while (status == 0 && g->in_flight < g->most && now_ns() >= g->later_ns) {
        status = grade_read_ahead(g);
        if (status != 0 || !grade_ahead_take(&g->ahead, &line))
            break;
        status = grade_begin_item(g, &line);
    }
    return status;
}

int
grade_run(struct grade *g)
{
    int status = 0;

    g->begun_ns = now_ns();
    while (status == 0 && (!g->read_all || g->ahead.count > 0 || g->in_flight > 0)) {
        const uint64_t begin = now_ns();
        uint64_t ms;

        status = grade_fill(g);
        if (status == 0)
            status = grade_sweep(g);
        grade_show(g);
        ms = (now_ns() - begin) / NS_PER_MS * SWEEP_SHARE;
        ms = ms < SWEEP_MS ? SWEEP_MS : ms > 2000 ? 2000 : ms;
        if (status == 0 && (g->in_flight > 0 || g->ahead.count > 0))
            (void)poll(NULL, 0, (int)ms);
    }
    if (g->cli->err.live)
        terminal_rewrite(&g->cli->err, "");
    return status;
}

void
grade_free(struct grade *g)
{
    while (g->first != NULL)
        grade_remove(g, g->first);
    grade_ahead_free(&g->ahead);
    while (g->problems != NULL) {
        struct grade_problem *next = g->problems->next;

        grade_problem_free(g->problems);
        g->problems = next;
    }
    for (int i = 0; i < g->counts.word_count; i++)
        free((char *)(uintptr_t)g->counts.words[i]);
    jsonl_close(&g->in);
    grade_output_close(&g->out);
    known_free(&g->seen);
    known_free(&g->reasons);
    bundle_key_erase(&g->signer.key);
    free(g->toolkit);
}
