#include "daemon/slurm/script.h"

#include "daemon/slurm/answer.h"

#include <stdlib.h>

/* Adds a text as one word of a shell's. */
static void
script_quote(struct buf *out, const char *text)
{
    buf_puts(out, "'");
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '\'')
            buf_puts(out, "'\\''");
        else
            buf_printf(out, "%c", *at);
    buf_puts(out, "'");
}

/* Adds a check of the script's, with the status that answer.c knows. */
static void
script_check(struct buf *out, const char *test, const char *says, int status)
{
    buf_printf(out,
               "%s || {\n"
               "    echo \"%s on $(hostname)\" >&2\n"
               "    exit %d\n"
               "}\n",
               test, says, status);
}

/* The folder of a node's temporary files is everybody's, so that the name may be taken.
 * What a pilot that was killed has left there is removed after a day. */
static void
script_home(const struct slurm_settings *s, struct buf *out)
{
    if (s->node_home != NULL)
        buf_printf(out, "WARPJUDGE_HOME='%s'\n", s->node_home);
    else
        buf_puts(out, "WARPJUDGE_HOME=${TMPDIR:-/tmp}/warpjudge-$(id -u)\n");
    buf_puts(out, "export WARPJUDGE_HOME\n"
                  "mkdir -p -m 700 \"$WARPJUDGE_HOME\"\n");
    script_check(out, "test -O \"$WARPJUDGE_HOME\" -a ! -L \"$WARPJUDGE_HOME\"",
                 "$WARPJUDGE_HOME is not our own folder", PILOT_LACKS_HOME);
    buf_puts(out, "find \"$WARPJUDGE_HOME/worker/jobs\" -mindepth 1 -maxdepth 1 -mmin "
                  "+1440 \\\n"
                  "    -exec rm -rf {} + 2>/dev/null\n");
}

/* No other text in quotes below has a quote: settings.c refuses those. */
void
pilot_script(const struct slurm_settings *s, const struct slurm_group *g,
             const char *program, const char *token, struct buf *out)
{
    buf_puts(out, "#!/bin/sh\n"
                  "# A pilot of warpjudge: it judges until it is idle, or near its time "
                  "limit.\n"
                  "set -u\n"
                  "umask 077\n"
                  "PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}\n"
                  "HOME=${HOME:-$(getent passwd \"$(id -u)\" | cut -d: -f6)}\n"
                  "SLURM_EXPORT_ENV=ALL # of an srun that starts a container\n"
                  "export PATH HOME SLURM_EXPORT_ENV\n"
                  "program=");
    /* By default it lies in the judge's own folder, whatever that is called. */
    script_quote(out, program);
    buf_printf(out,
               "\n"
               "token='%s'\n"
               "end=${SLURM_JOB_END_TIME:-$(($(date +%%s) + %d))}\n",
               token, g->time_min * 60);
    script_home(s, out);
    script_check(out, "test -r \"$token\"", "$token cannot be read", PILOT_LACKS_TOKEN);
    /* A container has its own. */
    if (g->container == NULL)
        script_check(out, "test -x \"$program\"", "$program is not there",
                     PILOT_LACKS_PROGRAM);
    buf_printf(out,
               "exec %s%s\"$program\" worker --server '%s' --token-file \"$token\" "
               "--device '%s' %s",
               g->container != NULL ? g->container : "", g->container != NULL ? " " : "",
               s->server, g->device, g->gpus > 1 ? "--device 'cuda:1' " : "");
    if (g->compilers > 0)
        buf_printf(out, "--compilers %d ", g->compilers);
    buf_printf(out, "--idle-s %d --until \"$end\"\n", PILOT_IDLE_S);
}

void
words_add(struct words *w, char *word)
{
    w->word = xrealloc(w->word, (w->count + 2) * sizeof *w->word);
    w->word[w->count++] = word;
    w->word[w->count] = NULL;
}

void
words_free(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->word[i]);
    free(w->word);
    *w = (struct words){0};
}

void
pilot_words(const struct slurm_group *g, const struct pilot_job *job, struct words *out)
{
    words_add(out, xstrdup("--parsable"));
    words_add(out, xasprintf("--job-name=%s", job->name));
    words_add(out, xasprintf("--comment=token %lld", (long long)job->token));
    words_add(out, xasprintf("--output=%s/pilot-%%j.log", job->folder));
    /* Where a node is lost, another pilot takes the work at once. */
    words_add(out, xstrdup("--no-requeue"));
    words_add(out, xstrdup("--chdir=/"));
    words_add(out, xstrdup("--export=NONE"));
    words_add(out, xstrdup("--nodes=1"));
    words_add(out, xstrdup("--ntasks=1"));
    words_add(out, xasprintf("--time=%d", g->time_min));
    if (g->partition != NULL)
        words_add(out, xasprintf("--partition=%s", g->partition));
    if (g->gres != NULL)
        words_add(out, xasprintf("--gres=%s", g->gres));
    if (g->account != NULL)
        words_add(out, xasprintf("--account=%s", g->account));
    if (g->constraint != NULL)
        words_add(out, xasprintf("--constraint=%s", g->constraint));
    if (job->exclude[0] != '\0')
        words_add(out, xasprintf("--exclude=%s", job->exclude));
    for (int i = 0; i < g->option_count; i++)
        words_add(out, xstrdup(g->option[i]));
    words_add(out, xstrdup(job->script));
}
