/*
 * `warpjudge emu`: a CUDA program of the user's own on an emulated GPU of its own.
 *
 *     this process --control socket--> warpjudge-gpu, in a sandbox
 *       | listens at an abstract address, which WARPJUDGE_GPU_SOCKET holds
 *       | hands every connection on as a client of the GPU
 *       v
 *     PROGRAM and what it starts --one connection for each process that uses CUDA--^
 *
 *     emu.c           the verb: starts, waits, reports, and exits as the program did
 *     emu_program.c   whether a program's CUDA runtime can be ours
 *     emu_gpu.c       the GPU and the connections to it
 *     emu_child.c     the program, its signals and its end
 *     emu_report.c    what was found, for a person or as JSON
 */
#ifndef CLI_EMU_H
#define CLI_EMU_H

#include "base/config.h"
#include "cli/emu_program.h"
#include "cli/terminal.h"
#include "device/gpu_process.h"
#include "emulator/gpu/gpu.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- emu_gpu.c -------------------------------------------------------------------- */

struct emu_gpu {
    struct gpu_process process;
    struct gpu *gpu;
    int listener;     /* non-blocking; the program's processes connect to it */
    char address[64]; /* its name, without the NUL that makes it abstract */
    uint32_t own; /* a client of ours that runs nothing, which is asked for counters */
    int own_socket;
    uint32_t *client; /* one for each connection, in the order in which they came */
    size_t client_count, client_cap;
};

int emu_gpu_start(struct emu_gpu *g, const struct config *config,
                  const struct gpu_options *options, bool insecure, struct report *r);
/* Accepts all connections that wait. */
int emu_gpu_accept(struct emu_gpu *g, struct report *r);
void emu_gpu_stop(struct emu_gpu *g);

/* --- emu_child.c ------------------------------------------------------------------ */

/* Starts the program, accepts its connections, and waits for its end. *status is what
 * wait() gives. Returns 0, or the exit status to end with and a report. */
int emu_child_run(const struct emu_program *p, const char *const *argv,
                  const struct config *config, struct emu_gpu *g, int *status,
                  struct report *r);

/* Ends this process by the signal that ended the program. */
void emu_child_die_like(int signal);

/* --- emu_report.c ----------------------------------------------------------------- */

struct emu_finding {
    size_t process; /* the number of its connection, from 1 */
    struct fault fault;
};

struct emu_findings {
    struct emu_finding *list;
    size_t count, cap;
    struct counters counters;
    cJSON *
        kernels; /* an array of what kernels cost (device/cost_json.h); NULL: not asked */
};

/* Asks the GPU for what it found. With `wait` every launch ends first; else those in
 * progress are stopped. */
int emu_findings_take(struct emu_gpu *g, bool wait, struct emu_findings *out,
                      struct report *r);
void emu_findings_free(struct emu_findings *f);
void emu_findings_print(const struct terminal *t, const struct emu_findings *f,
                        size_t processes, bool counters);
/* Prints the findings as one line of JSON. */
void emu_findings_json(const struct terminal *t, const struct emu_findings *f,
                       const struct emu_program *p, size_t processes, int status);

#endif
