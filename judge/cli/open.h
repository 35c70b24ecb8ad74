/* The judge's pages in a browser. */
#ifndef CLI_OPEN_H
#define CLI_OPEN_H

#include "cli/cli.h"

/* Prints the address of a page, which begins with a slash, and opens it where there is a
 * screen. Returns an exit status. */
int open_page(struct cli *cli, const char *path);

#endif
