/* `problem new`: asks for a signature, and writes the folder of a new problem. */
#include "base/file.h"
#include "cli/draft.h"
#include "cli/problem.h"
#include "problem/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX 1000

/* --- questions ---------------------------------------------------------------------- */

/* Asks the user for a line. An empty one means `otherwise`. NULL where there is nobody to
 * ask, and the report names the flag that gives the answer. The caller frees. */
static char *
problem_new_ask(struct cli *cli, enum flag flag, const char *question,
                const char *otherwise)
{
    char line[ANSWER_BYTES_MAX];
    size_t len;

    if (!isatty(STDIN_FILENO)) {
        report_fail(&cli->report, "say --%s, or answer on a terminal", flag_name(flag));
        return NULL;
    }
    terminal_print(&cli->err, STYLE_PLAIN, "%s", question);
    if (otherwise != NULL)
        terminal_print(&cli->err, STYLE_PLAIN, " [%s]", otherwise);
    terminal_print(&cli->err, STYLE_PLAIN, ": ");
    fflush(cli->err.file);
    if (fgets(line, sizeof line, stdin) == NULL) {
        report_fail(&cli->report, "there is no answer: nothing was written");
        return NULL;
    }
    len = strcspn(line, "\r\n");
    line[len] = '\0';
    return xstrdup(len == 0 && otherwise != NULL ? otherwise : line);
}

static char *
flag_or_ask(struct cli *cli, enum flag flag, const char *question, const char *otherwise)
{
    const char *said = cli->args.flag[flag];

    if (said != NULL)
        return xstrdup(said);
    /* Without a terminal the default is taken. */
    return otherwise != NULL && !isatty(STDIN_FILENO)
               ? xstrdup(otherwise)
               : problem_new_ask(cli, flag, question, otherwise);
}

/* The title that a slug suggests: "Row Scaling" for "row-scaling". The caller frees. */
static char *
title_of(const char *slug)
{
    char *title = xstrdup(slug);

    for (char *c = title; *c != '\0'; c++) {
        if (*c == '-')
            *c = ' ';
        else if (c == title || c[-1] == ' ')
            *c = (char)toupper((unsigned char)*c);
    }
    return title;
}

/* Reads the parameter's extents from "M, N" or "[M][N]". */
static int
take_extents(struct signature_param *p, const char *text, struct report *r)
{
    const char *at = text;

    while (*at != '\0') {
        const char *start = at + strspn(at, " [,");
        size_t len = strcspn(start, "],");

        at = start + len + strspn(start + len, " ],");
        while (len > 0 && start[len - 1] == ' ')
            len--;
        if (len == 0)
            break;
        if (p->rank == PROBLEM_RANK_MAX)
            return report_fail(r, "%s has more than %d extents", p->name,
                               PROBLEM_RANK_MAX);
        p->extent[p->rank++] = xasprintf("%.*s", (int)len, start);
    }
    return p->rank > 0 ? 0 : report_fail(r, "%s needs a size", p->name);
}

static int
ask_extents(struct cli *cli, struct signature *s)
{
    int unknown;

    while ((unknown = draft_fill_extents(s)) >= 0) {
        struct signature_param *p = &s->param[unknown];
        char *question, *answer;
        int rc;

        if (!isatty(STDIN_FILENO))
            return report_fail(
                &cli->report,
                "the size of %s is not clear: write it in the signature, as "
                "in %s[M][N]",
                p->name, p->name);
        question = xasprintf("size of %s (such as N, or M, N)", p->name);
        answer = problem_new_ask(cli, FLAG_SIGNATURE, question, NULL);
        rc = answer != NULL ? take_extents(p, answer, &cli->report) : -1;
        free(question);
        free(answer);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* --- writing ------------------------------------------------------------------------ */

static int
write_file(const char *folder, const char *name, const struct buf *text, struct report *r)
{
    char *path = xasprintf("%s/%s", folder, name);
    int rc = file_write(path, buf_str(text), text->len, r);

    free(path);
    return rc;
}

/* Reports why mkdir() could not make the folder. */
static int
folder_failed(const char *folder, struct report *r)
{
    if (errno == EEXIST)
        return report_fail(r, "%s is there already, and is left as it is", folder);
    if (errno == ENOENT)
        return report_fail(r,
                           "%.*s is not there: make it, or let WARPJUDGE_PROBLEMS name "
                           "the folder of the problems",
                           (int)(strrchr(folder, '/') - folder), folder);
    return report_errno(r, "the folder %s cannot be made", folder);
}

static int
write_folder(const struct draft *d, const char *folder, struct report *r)
{
    struct buf spec = {0}, statement = {0}, reference = {0};
    int rc = draft_spec(d, &spec, r);

    draft_statement(d, &statement);
    draft_reference(d, &reference);
    if (rc == 0 && mkdir(folder, 0777) != 0)
        rc = folder_failed(folder, r);
    if (rc == 0 && (write_file(folder, "problem.json", &spec, r) != 0 ||
                    write_file(folder, "statement.md", &statement, r) != 0 ||
                    write_file(folder, "reference.c", &reference, r) != 0))
        rc = -1;
    buf_free(&spec);
    buf_free(&statement);
    buf_free(&reference);
    return rc;
}

static int
check_slug(const char *slug, struct report *r)
{
    if (!slug_is_valid(slug))
        return report_fail(r,
                           "\"%s\" cannot be a problem's name: take a-z, 0-9 and -, at "
                           "most %d of them",
                           slug, SLUG_BYTES_MAX);
    return 0;
}

static int
fill_draft(struct cli *cli, struct draft *d, char **title, char **difficulty)
{
    char *suggested = title_of(d->slug), *signature;
    int rc = -1;

    signature = flag_or_ask(
        cli, FLAG_SIGNATURE,
        "signature (as in void solve(const float* A, float* B, int N))", NULL);
    if (signature != NULL &&
        signature_parse(signature, &d->signature, &cli->report) == 0 &&
        ask_extents(cli, &d->signature) == 0 &&
        (*title = flag_or_ask(cli, FLAG_TITLE, "title", suggested)) != NULL &&
        (*difficulty = flag_or_ask(cli, FLAG_DIFFICULTY,
                                   "difficulty (easy, medium, hard)", "medium")) != NULL)
        rc = 0;
    if (rc == 0 && strcmp(*difficulty, "easy") != 0 &&
        strcmp(*difficulty, "medium") != 0 && strcmp(*difficulty, "hard") != 0)
        rc = report_fail(&cli->report,
                         "the difficulty is easy, medium or hard, not \"%s\"",
                         *difficulty);
    d->title = *title;
    d->difficulty = *difficulty;
    free(suggested);
    free(signature);
    return rc;
}

int
problem_new(struct cli *cli)
{
    struct draft d = {.slug = cli->args.positional[2]};
    char *title = NULL, *difficulty = NULL, *folder = NULL;
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    folder = xasprintf("%s/%s", cli->config.problems, d.slug);
    status = EXIT_BAD_INPUT;
    if (check_slug(d.slug, &cli->report) == 0 && access(folder, F_OK) == 0)
        report_fail(&cli->report, "%s is there already, and is left as it is", folder);
    else if (!report_is_set(&cli->report) &&
             fill_draft(cli, &d, &title, &difficulty) == 0 &&
             write_folder(&d, folder, &cli->report) == 0)
        status = EXIT_ACCEPTED;
    if (status == EXIT_ACCEPTED)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "%s is ready. Next:\n"
                       "  reference.c    fill in solve()\n"
                       "  statement.md   say what it computes\n"
                       "  problem.json   look at values, tests and tolerance\n"
                       "then `warpjudge problem check %s`\n",
                       folder, d.slug);
    signature_free(&d.signature);
    free(title);
    free(difficulty);
    free(folder);
    return status;
}
