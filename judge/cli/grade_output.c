#include "cli/grade_output.h"

#include "base/file.h"
#include "base/hex.h"
#include "base/json_text.h"
#include "cli/answer.h"
#include "cli/jsonl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NUMBER_BYTES 24

static void
number_name(char out[NUMBER_BYTES], long number)
{
    snprintf(out, NUMBER_BYTES, "%ld", number);
}

bool
grade_output_has_id(const struct grade_output *out, const char *id)
{
    return known_find(&out->ids, id) != NULL;
}

bool
grade_output_has_error(const struct grade_output *out, long number)
{
    char name[NUMBER_BYTES];

    number_name(name, number);
    return known_find(&out->errors, name) != NULL;
}

/* What stands for the line's failure number `n`. The caller frees. */
static char *
failure_name(const char *id, int n)
{
    return xasprintf("%d %s", n, id);
}

int
grade_output_failures(const struct grade_output *out, const char *id)
{
    int count = 0;
    bool more = true;

    while (more) {
        char *name = failure_name(id, count + 1);

        more = known_find(&out->failures, name) != NULL;
        count += more;
        free(name);
    }
    return count;
}

static void
output_note_failure(struct grade_output *out, const char *id, off_t at, size_t len)
{
    char *name = failure_name(id, grade_output_failures(out, id) + 1);

    known_add(&out->failures, name, at, len);
    free(name);
}

/* Notes a line that stands in the file. */
static void
output_note(struct grade_output *out, const cJSON *line, off_t at, size_t len)
{
    const char *verdict = answer_string(line, "verdict"),
               *key = answer_string(line, "key"), *id = answer_string(line, "id");
    char name[NUMBER_BYTES];

    if (verdict[0] == '\0') {
        number_name(name, answer_count(line, "line"));
        known_add(&out->errors, name, at, len);
        return;
    }
    /* A failure of the judge's says nothing of the line, which is judged again. */
    if (strcmp(verdict, "judge_error") == 0 || strcmp(verdict, "cancelled") == 0) {
        output_note_failure(out, id, at, len);
        return;
    }
    known_add(&out->ids, id, at, len);
    if (strcmp(verdict, "accepted") == 0)
        snprintf(out->stage, sizeof out->stage, "%s", answer_string(line, "stage"));
    if (key[0] != '\0')
        known_add(&out->keys, key, at, len);
}

/* Reads what is there. What follows the last newline is half a line. */
static int
output_read(struct grade_output *out, struct report *r)
{
    struct jsonl in;
    int rc = jsonl_open(&in, out->path, r), more = 0;

    while (rc == 0 && (more = jsonl_next(&in, r)) > 0 && in.whole) {
        cJSON *line = jsonl_parse(&in, r);

        if (line == NULL) {
            rc = -1;
        } else if (strlen(answer_string(line, "run")) != RUN_DIGITS ||
                   answer_count(line, "line") == 0) {
            rc = report_fail(r, "%s:%ld: this is no line that `warpjudge grade` wrote",
                             in.path, in.number);
        } else {
            snprintf(out->run, sizeof out->run, "%s", answer_string(line, "run"));
            output_note(out, line, in.at, in.len);
            out->end = in.after;
        }
        cJSON_Delete(line);
    }
    jsonl_close(&in);
    return more < 0 ? -1 : rc;
}

static void
output_draw_run(struct grade_output *out)
{
    hex_draw(out->run, RUN_DIGITS / 2);
}

static int
output_open_file(struct grade_output *out, bool resume, struct report *r)
{
    out->fd = open(out->path, O_RDWR | O_CREAT | O_CLOEXEC | (resume ? 0 : O_EXCL), 0666);
    if (out->fd < 0 && errno == EEXIST)
        return report_fail(r,
                           "%s is there already, and is left as it is: go on with it by "
                           "--resume, or name another file",
                           out->path);
    if (out->fd < 0)
        return report_errno(r, "%s cannot be written", out->path);
    if (flock(out->fd, LOCK_EX | LOCK_NB) != 0)
        return report_fail(r, "%s is written by another `warpjudge grade`", out->path);
    return 0;
}

int
grade_output_open(struct grade_output *out, const char *path, bool resume,
                  struct report *r)
{
    *out = (struct grade_output){.path = path, .fd = -1};
    /* A limit of a file's size is told by write() alone. */
    (void)signal(SIGXFSZ, SIG_IGN);
    if (output_open_file(out, resume, r) != 0)
        return -1;
    if (resume && output_read(out, r) != 0)
        return -1;
    if (ftruncate(out->fd, out->end) != 0)
        return report_errno(r, "%s cannot be written", path);
    if (out->run[0] == '\0')
        output_draw_run(out);
    return 0;
}

void
grade_output_close(struct grade_output *out)
{
    if (out->fd >= 0)
        close(out->fd);
    known_free(&out->ids);
    known_free(&out->errors);
    known_free(&out->failures);
    known_free(&out->keys);
    out->fd = -1;
}

int
grade_output_add(struct grade_output *out, cJSON *line, struct report *r)
{
    struct buf text = {0};
    ssize_t n;

    cJSON_AddStringToObject(line, "run", out->run);
    json_add(&text, line);
    buf_puts(&text, "\n");
    do
        n = pwrite(out->fd, text.data, text.len, out->end);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)text.len) {
        const int error = n < 0 ? errno : ENOSPC;

        (void)!ftruncate(out->fd, out->end);
        errno = error;
        report_errno(r,
                     "%s cannot be written; what stands in it is whole, and --resume "
                     "goes on",
                     out->path);
        buf_free(&text);
        return -1;
    }
    output_note(out, line, out->end, text.len - 1);
    out->end += n;
    buf_free(&text);
    return 0;
}

cJSON *
grade_output_cached(const struct grade_output *out, const char *key)
{
    const struct known *k = known_find(&out->keys, key);
    char *text;
    cJSON *line = NULL;

    if (k == NULL)
        return NULL;
    text = xmalloc(k->len + 1);
    if (pread(out->fd, text, k->len, k->at) == (ssize_t)k->len)
        line = cJSON_ParseWithLength(text, k->len);
    free(text);
    return line;
}
