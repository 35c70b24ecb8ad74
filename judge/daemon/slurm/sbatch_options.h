/*
 * What a group of pilots says to sbatch in words of its own, in the key options or gres.
 * The daemon says some options itself, and a pilot is one worker on one node that has as
 * many GPUs as the group says. Words that contradict this are refused when the config
 * file is read, since sbatch would take the last of two. All of this is pure.
 */
#ifndef DAEMON_SLURM_SBATCH_OPTIONS_H
#define DAEMON_SLURM_SBATCH_OPTIONS_H

#include "base/report.h"

/* May the word be given to sbatch? -1 and a report where it may not. */
int sbatch_option_check(const char *word, struct report *r);

/* Does the word ask for as many GPUs as a pilot has, or for none at all? The report names
 * the key before the word. */
int sbatch_option_check_gpus(const char *word, int gpus, struct report *r);

/* The same of the value of the key gres, as in "gpu:h200:1". */
int sbatch_gres_check_gpus(const char *gres, int gpus, struct report *r);

#endif
