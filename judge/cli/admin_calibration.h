/* `admin calibration`: how fast the GPUs were. Returns the exit status. */
#ifndef CLI_ADMIN_CALIBRATION_H
#define CLI_ADMIN_CALIBRATION_H

#include "cli/cli.h"

int admin_calibration(struct cli *cli);

#endif
