/*
 * Where things are. Every program finds its parts from its own place on the disk, so that
 * a build folder, an installation and a dist tarball all work without being told.
 *
 *     PREFIX/bin/warpjudge            the command line
 *     PREFIX/libexec/                 warpjudged, warpjudge-compile, warpjudge-arbiter,
 *                                     warpjudge-gpu, and warpjudge-runner, which loads
 *                                     submissions
 *     PREFIX/lib/guest.o, guest.map   what a submission is linked with
 *     PREFIX/lib/null.so              an empty solve(), linked as a submission is
 *     PREFIX/lib/libcudart_emu.a      the CUDA runtime that talks to the emulated GPU
 *     PREFIX/lib/warpjudge/libcudart.so.13
 *                                     the same, for the programs of `warpjudge emu`
 *     PREFIX/share/warpjudge/         problems/, solutions/, ...
 *
 * In a checkout PREFIX is build/release (or build/asan) and problems/ is at its root.
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/report.h"

#include <stddef.h>

struct config {
    char *prefix;
    char *libexec;  /* PREFIX/libexec */
    char *lib;      /* PREFIX/lib */
    char *problems; /* WARPJUDGE_PROBLEMS, PREFIX/share/warpjudge/problems, or the
                       checkout's */
    char *home; /* WARPJUDGE_HOME; in a checkout its root; else XDG_DATA_HOME/warpjudge.
                   It holds leaderboard.db, warpjudge.sock, jobs/, cache/, and what is
                   known of GPUs: calibration/, quiet/ */
    char *database; /* HOME/leaderboard.db */
    char *socket;   /* HOME/warpjudge.sock */
    char *jobs;     /* HOME/jobs */
    char *cache;    /* HOME/cache: compiled submissions and references */
    /* config_find_toolkit() sets the next three, which are NULL before. */
    char *nvcc;      /* NULL: there is none where base/toolkit.h looks */
    char *cuda_root; /* the toolkit's folder; NULL: nvcc does not say */
    char *toolkit;   /* the toolkit's version, "13.0"; NULL: its headers do not say */
};

/* Fills c from /proc/self/exe and the environment. */
int config_load(struct config *c, struct report *r);
/* Only programs that compile need it. It may have to run nvcc, which takes 0.1 s. */
void config_find_toolkit(struct config *c);
void config_free(struct config *c);

/* PREFIX/libexec/NAME. The caller frees. */
char *config_libexec(const struct config *c, const char *name);

#define WARPJUDGE_VERSION "0.1.0"
#define SOURCE_BYTES_MAX ((size_t)1 << 20) /* a submission's .cu */

#endif
