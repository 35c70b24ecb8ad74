/*
 * The checks of `warpjudge doctor`. Each looks at one thing that judging needs, and
 * writes one finding. Private to doctor*.c.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/cli.h"

enum doctor_level {
    DOCTOR_OK,
    DOCTOR_WARNING, /* the judge works, but less well or less safely */
    DOCTOR_PROBLEM, /* the judge does not start, or judges nothing */
};

struct finding {
    enum doctor_level level;
    char text[1024]; /* what was found, and after a colon or semicolon what to do */
};

void finding_set(struct finding *f, enum doctor_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What compiles. */
void doctor_nvcc(struct cli *cli, struct finding *f);
void doctor_assemblers(struct cli *cli, struct finding *f);
void doctor_libraries(struct cli *cli, struct finding *f);
void doctor_host_compiler(struct cli *cli, struct finding *f);
void doctor_parts(struct cli *cli, struct finding *f);

/* What runs: GPUs, and what confines submissions. */
void doctor_devices(struct cli *cli, struct finding *f);
void doctor_gpu_clocks(struct cli *cli, struct finding *f);
void doctor_uids(struct cli *cli, struct finding *f);
void doctor_namespaces(struct cli *cli, struct finding *f);
void doctor_groups(struct cli *cli, struct finding *f);

/* What the daemon needs of the machine. */
void doctor_home(struct cli *cli, struct finding *f);
void doctor_disk(struct cli *cli, struct finding *f);
void doctor_memory(struct cli *cli, struct finding *f);
void doctor_port(struct cli *cli, struct finding *f);
void doctor_open_files(struct cli *cli, struct finding *f);
void doctor_clock_source(struct cli *cli, struct finding *f);

#endif
