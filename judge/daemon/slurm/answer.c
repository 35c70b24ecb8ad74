#include "daemon/slurm/answer.h"

#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes a column of at most SLURM_WORD_MAX - 1 bytes; what is longer is cut, and what is
 * not printable ASCII becomes a question mark. */
static void
column_take(char *out, const char *text, size_t len)
{
    if (len >= SLURM_WORD_MAX)
        len = SLURM_WORD_MAX - 1;
    for (size_t i = 0; i < len; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    out[len] = '\0';
}

/* Reads digits, of which at least one must be there. Returns what follows, or NULL. */
static const char *
number_take(const char *text, int64_t *out)
{
    char *end;
    long long value;

    if (text[0] < '0' || text[0] > '9')
        return NULL;
    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0)
        return NULL;
    *out = value;
    return end;
}

bool
squeue_read(const char *line, struct squeue_job *out)
{
    struct squeue_job job = {0};
    char comment[SLURM_WORD_MAX];
    char *const columns[] = {job.state, job.node, comment, job.reason};
    const char *at = number_take(line, &job.id);

    /* Array members are "12_3", and none of ours. */
    if (at == NULL || *at != '|' || job.id <= 0)
        return false;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const size_t len = strcspn(++at, "|");

        if (at[len] != '|')
            return false;
        column_take(columns[i], at, len);
        at += len;
    }
    column_take(job.name, at + 1, strlen(at + 1));
    if (strncmp(comment, "token ", 6) == 0 &&
        number_take(comment + 6, &job.token) == NULL)
        job.token = 0;
    *out = job;
    return true;
}

bool
squeue_is_pending(const struct squeue_job *job)
{
    static const char *const WAITS[] = {"PENDING",     "REQUEUED",     "REQUEUE_HOLD",
                                        "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"};

    for (size_t i = 0; i < sizeof WAITS / sizeof *WAITS; i++)
        if (strcmp(job->state, WAITS[i]) == 0)
            return true;
    return false;
}

int64_t
sbatch_read(const char *line)
{
    int64_t id = 0;
    const char *end = number_take(line, &id);

    return end != NULL && (*end == '\0' || *end == ';') ? id : 0;
}

/* Finds " KEY=" in a line of scontrol's and takes its value, which ends at a space. */
static bool
field_take(const char *line, const char *key, char *out)
{
    const char *at = strstr(line, key);

    if (at == NULL)
        return false;
    at += strlen(key);
    column_take(out, at, strcspn(at, " "));
    return true;
}

/* Takes "STATUS:SIGNAL". */
static bool
code_take(const char *text, struct slurm_end *out)
{
    int64_t status, number;
    const char *at = number_take(text, &status);

    if (at == NULL || *at != ':' || number_take(at + 1, &number) == NULL)
        return false;
    out->status = (int)status;
    out->signal = (int)number;
    return true;
}

bool
scontrol_read(const char *line, struct slurm_end *out)
{
    struct slurm_end end = {0};
    char code[SLURM_WORD_MAX];

    if (!field_take(line, " JobState=", end.state) ||
        !field_take(line, " ExitCode=", code) || !code_take(code, &end))
        return false;
    if (!field_take(line, " NodeList=", end.node) || strcmp(end.node, "(null)") == 0)
        end.node[0] = '\0';
    *out = end;
    return true;
}

bool
sacct_read(const char *line, struct slurm_end *out)
{
    struct slurm_end end = {0};
    const size_t state = strcspn(line, "|");
    const char *code = line + state + 1;

    if (line[state] != '|' || strchr(code, '|') == NULL || !code_take(code, &end))
        return false;
    /* "CANCELLED by 1000" */
    column_take(end.state, line, strcspn(line, " |"));
    code = strchr(code, '|') + 1;
    column_take(end.node, code, strlen(code));
    if (strcmp(end.node, "None assigned") == 0)
        end.node[0] = '\0';
    *out = end;
    return true;
}

bool
slurm_end_is_known(const struct slurm_end *end)
{
    static const char *const GOES_ON[] = {"PENDING",   "RUNNING",  "COMPLETING",
                                          "SUSPENDED", "REQUEUED", "RESIZING"};

    for (size_t i = 0; i < sizeof GOES_ON / sizeof *GOES_ON; i++)
        if (strcmp(end->state, GOES_ON[i]) == 0)
            return false;
    return true;
}

bool
sacct_is_disabled(const char *failure)
{
    return strstr(failure, "not on PATH") != NULL ||
           strstr(failure, "accounting storage is disabled") != NULL;
}

/* Of a job that failed by itself. */
static enum pilot_fate
failure_say(const struct slurm_end *end, const char *shared, char **text)
{
    const char *node = end->node[0] != '\0' ? end->node : "its node";
    enum pilot_fate fate = PILOT_BAD_NODE;

    if (end->signal == SLURM_NO_OUTPUT_SIGNAL) {
        *text = xasprintf("did not begin: %s cannot write into %s", node, shared);
    } else if (end->status == PILOT_LACKS_PROGRAM) {
        *text = xasprintf("did not begin: %s does not have the pilots' program", node);
    } else if (end->status == PILOT_LACKS_TOKEN) {
        *text = xasprintf("did not begin: %s cannot read the token in %s", node, shared);
    } else if (end->status == PILOT_LACKS_HOME) {
        *text = xasprintf("did not begin: %s has no folder for pilots that is their own",
                          node);
    } else if (end->status == PILOT_LACKS_JUDGE && end->signal == 0) {
        *text = xasprintf("did not begin: %s does not reach the judge at `server`: its "
                          "log is in %s",
                          node, shared);
    } else if (end->signal > 0) {
        *text = xasprintf("was killed on %s by signal %d", node, end->signal);
        fate = PILOT_FAILED;
    } else {
        *text = xasprintf("ended on %s with status %d: its log is in %s", node,
                          end->status, shared);
        fate = PILOT_FAILED;
    }
    return fate;
}

enum pilot_fate
slurm_end_say(const struct slurm_end *end, const char *shared, char **text)
{
    static const struct {
        const char *state, *says;
        enum pilot_fate fate;
    } ENDS[] = {
        {"COMPLETED", "ended", PILOT_WELL},
        {"CANCELLED", "was cancelled", PILOT_WELL},
        {"NODE_FAIL", "lost its node", PILOT_LOST},
        {"PREEMPTED", "was preempted", PILOT_LOST},
        {"TIMEOUT", "reached its time limit", PILOT_LOST},
        {"DEADLINE", "reached its deadline", PILOT_LOST},
        {"OUT_OF_MEMORY", "used more memory than the job had", PILOT_LOST},
        {"BOOT_FAIL", "got a node that did not start", PILOT_LOST},
    };
    const bool has_node = end->node[0] != '\0';

    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
        if (strcmp(end->state, ENDS[i].state) == 0) {
            *text = xasprintf("%s%s%s%s", ENDS[i].says, has_node ? " (" : "", end->node,
                              has_node ? ")" : "");
            return ENDS[i].fate;
        }
    if (strcmp(end->state, "FAILED") == 0)
        return failure_say(end, shared, text);
    *text = xasprintf("ended as %s", end->state);
    return PILOT_LOST;
}
