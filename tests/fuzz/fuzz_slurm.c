// links: common sandbox daemon
/* Any bytes as what Slurm's commands print. What is taken of them is printable ASCII. */
#include "daemon/slurm/answer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
word_check(const char *word)
{
    if (strlen(word) >= SLURM_WORD_MAX)
        abort();
    for (; *word != '\0'; word++)
        if (*word < ' ' || *word > '~')
            abort();
}

static void
end_check(const struct slurm_end *end)
{
    char *text;

    word_check(end->state);
    word_check(end->node);
    slurm_end_say(end, "/shared", &text);
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = malloc(size + 1);
    struct squeue_job job;
    struct slurm_end end;

    if (line == NULL)
        return 0;
    memcpy(line, data, size);
    line[size] = '\0';
    if (squeue_read(line, &job)) {
        word_check(job.state);
        word_check(job.node);
        word_check(job.reason);
        word_check(job.name);
        if (job.id <= 0 || job.token < 0)
            abort();
    }
    if (scontrol_read(line, &end))
        end_check(&end);
    if (sacct_read(line, &end))
        end_check(&end);
    if (sbatch_read(line) < 0)
        abort();
    free(line);
    return 0;
}
