/*
 * The config file's sections for Slurm. What all pilots have in common stands in the
 * section [slurm]. Each section [slurm NAME] is a group of pilots, which are jobs of one
 * kind for the queue of one board.
 *
 *     [slurm]
 *     server = https://judge.example
 *     shared = /home/judge/pilots
 *     user = ada
 *
 *     [slurm gpus]
 *     board = NVIDIA H200
 *     partition = gpu
 *     gres = gpu:1
 *     pilots = 8
 *
 * To add a key, add a row, take it in settings.c, and describe it in docs/cluster.md.
 */
#ifndef DAEMON_SLURM_SETTINGS_H
#define DAEMON_SLURM_SETTINGS_H

#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>

#define SLURM_GROUPS_MAX 16
#define SLURM_GROUP_NAME_MAX 24
#define SLURM_PILOTS_MAX 1000
#define SLURM_OPTIONS_MAX 16

/*    enumerator  key  of [slurm NAME]? (else of [slurm]) */
#define SLURM_KEYS(X)                                                                    \
    X(SERVER, "server", 0)                                                               \
    X(SHARED, "shared", 0)                                                               \
    X(USER, "user", 0)                                                                   \
    X(PROGRAM, "program", 0)                                                             \
    X(NODE_HOME, "node-home", 0)                                                         \
    X(POLL, "poll", 0)                                                                   \
    X(BOARD, "board", 1)                                                                 \
    X(ARCH, "arch", 1)                                                                   \
    X(DEVICE, "device", 1)                                                               \
    X(PARTITION, "partition", 1)                                                         \
    X(GRES, "gres", 1)                                                                   \
    X(ACCOUNT, "account", 1)                                                             \
    X(CONSTRAINT, "constraint", 1)                                                       \
    X(OPTIONS, "options", 1)                                                             \
    X(PILOTS, "pilots", 1)                                                               \
    X(TIME, "time", 1)                                                                   \
    X(GPUS, "gpus", 1)                                                                   \
    X(COMPILERS, "compilers", 1)                                                         \
    X(CONTAINER, "container", 1)

enum slurm_key {
#define X(name, text, of_group) SLURM_##name,
    SLURM_KEYS(X)
#undef X
        SLURM_KEY_COUNT
};

/* Strings are NULL where the file does not say them. */
struct slurm_group {
    char name[SLURM_GROUP_NAME_MAX + 1];
    char *board;  /* whose queue its pilots serve */
    char *arch;   /* what nvcc is asked for there; NULL for emu */
    char *device; /* what a pilot judges on, as it is called on its node */
    char *partition, *gres, *account, *constraint;
    char *options;                   /* more words for sbatch, as they were written */
    char *option[SLURM_OPTIONS_MAX]; /* each of them */
    int option_count;
    char *container; /* what stands before the worker's command, for a shell */
    int pilots;      /* the most at a time */
    int time_min;    /* a pilot's time limit */
    int gpus;        /* that a pilot has, 1 or 2 */
    int compilers;   /* how many submissions a pilot compiles at a time, ahead */
    int line;        /* where the section begins */
    int key_line[SLURM_KEY_COUNT];
};

struct slurm_settings {
    char *server;    /* the URL by which nodes reach the daemon */
    char *shared;    /* a folder that nodes have at the same path */
    char *user;      /* whose token pilots have: an admin's account */
    char *program;   /* of nodes: warpjudge; NULL: this installation's */
    char *node_home; /* of each node: where its pilots keep what they compile; NULL: in
                        its folder for temporary files */
    int poll_s;
    struct slurm_group group[SLURM_GROUPS_MAX];
    int count;
    int line; /* where [slurm] begins; 0: nothing is said of Slurm */
    int key_line[SLURM_KEY_COUNT];
    int current; /* while it is read: the group that keys are of; -1: [slurm]'s own */
};

/* Takes a line that begins a section. On failure the report says what is wrong with it.
 */
int slurm_settings_section(struct slurm_settings *s, const char *line, int number,
                           struct report *r);

/* Takes a key of the last section that was begun. */
int slurm_settings_take(struct slurm_settings *s, const char *key, const char *value,
                        int number, struct report *r);

/* After the last line: is all said that must be? *number is the line of what is not. */
int slurm_settings_complete(struct slurm_settings *s, int *number, struct report *r);

/* As how many workers all pilots together register: one for each GPU and each compiler.
 */
int slurm_settings_workers(const struct slurm_settings *s);

/* Does any pilot compile ahead? */
bool slurm_settings_compile(const struct slurm_settings *s);

void slurm_settings_free(struct slurm_settings *s);

#endif
