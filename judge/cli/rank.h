/* What the files of `rank` share:
 *
 *     rank.c            the verb: which board or standing is asked for, and in which form
 *     rank_ask.c        asks for boards and their pages
 *     rank_board.c      a board as a table
 *     rank_histogram.c  how its times are spread
 *     rank_baselines.c  what others took, measured elsewhere
 *     rank_all.c        the standing over all problems
 */
#ifndef CLI_RANK_H
#define CLI_RANK_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

/* How many entries a person is shown, where -n does not say it. */
#define RANK_ROWS 50
#define RANK_ROWS_MOST 1000 /* that a page of the judge's has */

/* Which entries of a list are asked for. */
struct rank_page {
    long rows;          /* how many at most; 0: all */
    long number;        /* of the page of so many rows, from 1 on */
    const char *around; /* the rows around this user's; NULL: the page of that number */
};

/* Reads -n, --page and --around. Without them a person gets the first page, and a script
 * everything. Returns 0, or an exit status with the report set. */
int rank_take_page(struct cli *cli, struct rank_page *out);

/* GETs a page of a list at `path`, which has a query already. The caller deletes *out.
 * Returns 0, or an exit status with the report set. */
int rank_get_page(struct cli *cli, const char *path, const struct rank_page *page,
                  cJSON **out);

/* Do rows follow behind those of this page? */
bool rank_has_more(const cJSON *list);

/* GETs a page of the board of the problem that the command line names. A NULL meaning is
 * today's. */
int rank_get_board(struct cli *cli, const char *meaning, const struct rank_page *page,
                   cJSON **out);

/* The board around the user's own entry, with little more than that; NULL where there is
 * none. The caller deletes it. */
cJSON *rank_get_own_entry(struct cli *cli, const char *meaning, const char *user);

/* Prints a page of a board for a person. */
void rank_print_board(struct cli *cli, const cJSON *board, const struct rank_page *page);

/* `rank --all`. Returns an exit status. */
int rank_all(struct cli *cli);

/* Prints a histogram and marks the bucket that has the time `own_ns`, unless that is
 * NaN. */
void rank_print_histogram(const struct terminal *t, const cJSON *histogram,
                          double own_ns);

/* Says how to see the other rows, below a page that is not the whole list. */
void rank_print_more(const struct terminal *t, const cJSON *list,
                     const struct rank_page *page);

/* Fills the cell of a user. A display name stands in quotation marks, so that it is not
 * taken for the user. */
struct table;
void rank_user_cell(struct table *table, const cJSON *e);

#endif
