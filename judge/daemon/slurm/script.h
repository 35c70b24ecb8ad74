/* What Slurm is told to run: a pilot's job script, and the words of sbatch. */
#ifndef DAEMON_SLURM_SCRIPT_H
#define DAEMON_SLURM_SCRIPT_H

#include "base/buf.h"
#include "daemon/slurm/settings.h"

#include <stdint.h>

/* A pilot leaves after so long without work. */
#define PILOT_IDLE_S 60

/* The script of a group's pilots. `token` is the path of the token's file, and `program`
 * that of warpjudge. */
void pilot_script(const struct slurm_settings *s, const struct slurm_group *g,
                  const char *program, const char *token, struct buf *out);

/* One job for sbatch. */
struct pilot_job {
    const char *name;    /* of the job: by it pilots are known again */
    const char *folder;  /* where its output goes */
    const char *script;  /* the script's path */
    const char *exclude; /* nodes with commas between; "" for none */
    int64_t token;
};

struct words {
    char **word; /* ends with NULL */
    size_t count;
};

/* Adds a word, which the list owns from then on. */
void words_add(struct words *w, char *word);
void words_free(struct words *w);

/* The words behind "sbatch". */
void pilot_words(const struct slurm_group *g, const struct pilot_job *job,
                 struct words *out);

#endif
