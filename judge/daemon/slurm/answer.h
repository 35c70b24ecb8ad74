/*
 * What Slurm's commands print, and what is made of it. These lines come from a cluster
 * that others use, too: whatever they hold, a reader here takes it or says that it
 * cannot.
 */
#ifndef DAEMON_SLURM_ANSWER_H
#define DAEMON_SLURM_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#define SLURM_WORD_MAX 64

/* How squeue is asked to print a job: its columns, with | between. The name is last. */
#define SQUEUE_COLUMNS "%i|%T|%N|%k|%r|%j"

struct squeue_job {
    int64_t id;
    char state[SLURM_WORD_MAX];  /* "RUNNING" */
    char node[SLURM_WORD_MAX];   /* "" while it waits */
    char reason[SLURM_WORD_MAX]; /* why it waits, such as "Resources" */
    int64_t token;               /* of the comment: the token that the pilot has, or 0 */
    char name[SLURM_WORD_MAX];
};

/* Is the line one of a job? */
bool squeue_read(const char *line, struct squeue_job *out);

/* Does it wait in Slurm's queue? Everything else that squeue lists has resources. */
bool squeue_is_pending(const struct squeue_job *job);

/* The number that `sbatch --parsable` prints, "12" or "12;cluster"; 0 where it is none.
 */
int64_t sbatch_read(const char *line);

/* How a job ended. */
struct slurm_end {
    char state[SLURM_WORD_MAX]; /* "NODE_FAIL" */
    char node[SLURM_WORD_MAX];
    int status, signal; /* ExitCode=STATUS:SIGNAL */
};

/* A line of `scontrol --oneliner show job`. */
bool scontrol_read(const char *line, struct slurm_end *out);

/* A line of `sacct --noheader --parsable2 --allocations
 * --format=State,ExitCode,NodeList`.
 */
bool sacct_read(const char *line, struct slurm_end *out);

/* Has the job ended, by this? slurmdbd may not have heard of its end yet. */
bool slurm_end_is_known(const struct slurm_end *end);

/* Does sacct say, with this failure, that Slurm keeps no accounts? */
bool sacct_is_disabled(const char *failure);

/* With this `warpjudge worker` ends where no judge has answered it. */
#define PILOT_LACKS_JUDGE 3
/* With these a pilot's script ends where the node lacks something (script.h). */
#define PILOT_LACKS_PROGRAM 81
#define PILOT_LACKS_TOKEN 82
#define PILOT_LACKS_HOME 83
/* With this signal a job ends whose output file cannot be made. */
#define SLURM_NO_OUTPUT_SIGNAL 53

enum pilot_fate {
    PILOT_WELL,     /* it ended by itself, or we have cancelled it */
    PILOT_LOST,     /* it was taken away: the work goes to others */
    PILOT_FAILED,   /* by itself */
    PILOT_BAD_NODE, /* it could not begin, and another would not on this node */
};

/* Says how a pilot ended, in the end of a sentence that begins "pilot 7", such as "lost
 * its node (n1)". `shared` is the folder of pilots. The caller frees *text. */
enum pilot_fate slurm_end_say(const struct slurm_end *end, const char *shared,
                              char **text);

#endif
