/* Prints --help from the verbs' own tables. */
#include "base/buf.h"
#include "cli/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void
help_heading(const struct terminal *t, const char *text)
{
    terminal_print(t, STYLE_BOLD, "\n%s\n", text);
}

static void
help_line(const struct terminal *t, const char *name, const char *about)
{
    terminal_print(t, STYLE_PLAIN, "  %-26s %s\n", name, about);
}

static void
help_environment(const struct terminal *t, enum verb_kind kind)
{
    help_heading(t, "environment");
    if (kind == VERB_RUNS_PROGRAM) {
        help_line(t, "LD_LIBRARY_PATH",
                  "PROGRAM finds our libcudart.so.13 before what it names");
        help_line(t, "NO_COLOR=1", "no colours (there are none in a pipe either)");
        return;
    }
    if (kind != VERB_LOCAL) {
        help_line(t, "WARPJUDGE_URL=http://H:P",
                  "use the judge at this address, and start none");
        help_line(t, "WARPJUDGE_USER=NAME", "your name, where --user does not say it");
        help_line(t, "WARPJUDGE_TOKEN=TOKEN",
                  "say who you are by it, instead of `login`");
    }
    help_line(t, "WARPJUDGE_HOME=FOLDER",
              "where leaderboard.db, its socket and the cache are");
    help_line(t, "WARPJUDGE_PROBLEMS=FOLDER", "where the problems are");
    help_line(t, "NO_COLOR=1", "no colours (there are none in a pipe either)");
}

static void
exit_statuses(const struct terminal *t, enum verb_kind kind)
{
    help_heading(t, "exit status");
    if (kind == VERB_RUNS_PROGRAM) {
        help_line(t, "PROGRAM's own", "also the signal, where one ended it");
        help_line(t, "99",
                  "with --checks: PROGRAM ended with 0, but something was found");
        help_line(t, "2", "wrong usage; PROGRAM was not run");
        help_line(t, "125", "PROGRAM cannot have an emulated GPU, or that one died");
        help_line(t, "126, 127", "PROGRAM cannot be run, or is not there");
        return;
    }
    help_line(t, "0", kind == VERB_JUDGES ? "accepted" : "all is well");
    if (kind == VERB_JUDGES)
        help_line(t, "1", "any other verdict");
    help_line(t, "2",
              kind == VERB_LOCAL ? "wrong usage, or errors were found"
                                 : "wrong usage or bad input");
    if (kind == VERB_LOCAL)
        help_line(t, "4", "the judge itself failed");
    if (kind != VERB_LOCAL) {
        help_line(t, "3", "the judge cannot be reached");
        help_line(t, "4", "the judge failed: it is not your kernel's fault");
    }
    if (kind == VERB_JUDGES)
        help_line(t, "130", "you stopped waiting (Ctrl-C); the submission goes on");
}

static void
print_overview(const struct terminal *t)
{
    terminal_print(t, STYLE_BOLD, "warpjudge");
    terminal_print(
        t, STYLE_PLAIN,
        ": is your CUDA kernel right, how fast is it, and where does it rank?\n");
    help_heading(t, "usage");
    terminal_print(t, STYLE_PLAIN,
                   "  warpjudge VERB [arguments and flags, in any order]\n");
    help_heading(t, "verbs");
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++) {
        char name[64];

        if ((*v)->kind == VERB_ABSENT)
            continue;
        snprintf(name, sizeof name, "%s %s", (*v)->name, (*v)->arguments);
        help_line(t, name, (*v)->summary);
    }
    help_heading(t, "for a start");
    terminal_print(t, STYLE_PLAIN,
                   "  warpjudge init vector-addition\n"
                   "  warpjudge submit vector-addition.cu\n");
    help_environment(t, VERB_ASKS);
    exit_statuses(t, VERB_JUDGES);
    terminal_print(t, STYLE_DIM, "\n`warpjudge VERB --help` says more about each.\n");
}

/* Prints what a verb's table says of it. On a terminal its lines are filled anew: one
 * that begins with a small letter behind the end of a sentence explains the next thing.
 */
static void
print_about(const struct terminal *t, const char *about)
{
    struct buf paragraph = {0};

    if (!t->cut) {
        terminal_print(t, STYLE_PLAIN, "%s\n", about);
        return;
    }
    while (*about != '\0') {
        const size_t len = strcspn(about, "\n");
        const bool ends = paragraph.len > 0 && paragraph.data[paragraph.len - 1] == '.';

        if (paragraph.len > 0 && (len == 0 || (ends && islower((unsigned char)*about)))) {
            terminal_print(t, STYLE_PLAIN, "%s\n", buf_str(&paragraph));
            buf_clear(&paragraph);
        }
        if (len == 0)
            terminal_print(t, STYLE_PLAIN, "\n");
        else
            buf_printf(&paragraph, "%s%.*s", paragraph.len > 0 ? " " : "", (int)len,
                       about);
        about += len + (about[len] == '\n');
    }
    if (paragraph.len > 0)
        terminal_print(t, STYLE_PLAIN, "%s\n", buf_str(&paragraph));
    buf_free(&paragraph);
}

static void
print_verb(const struct terminal *t, const struct verb *verb)
{
    terminal_print(t, STYLE_BOLD, "usage\n");
    terminal_print(t, STYLE_PLAIN, "  warpjudge %s %s%s%s\n\n", verb->name,
                   verb->arguments, verb->arguments[0] != '\0' ? " " : "",
                   verb->flags->about != NULL ? "[flags]" : "");
    print_about(t, verb->about);
    if (verb->flags->about != NULL)
        help_heading(t, "flags");
    for (const struct verb_flag *f = verb->flags; f->about != NULL; f++) {
        const char *value = flag_value_name(f->flag);
        char letter[8] = "", name[64];

        if (flag_letter(f->flag) != 0)
            snprintf(letter, sizeof letter, "-%c, ", flag_letter(f->flag));
        snprintf(name, sizeof name, "%s--%s%s%s", letter, flag_name(f->flag),
                 value != NULL ? " " : "", value != NULL ? value : "");
        help_line(t, name, f->about);
    }
    help_heading(t, "examples");
    terminal_print(t, STYLE_PLAIN, "%s", verb->example);
    exit_statuses(t, verb->kind);
    help_environment(t, verb->kind);
}

void
help_overview(const struct terminal *t)
{
    struct terminal page;

    terminal_page_begin(&page, t);
    print_overview(&page);
    terminal_page_end(&page, t);
}

void
help_verb(const struct terminal *t, const struct verb *verb)
{
    struct terminal page;

    terminal_page_begin(&page, t);
    print_verb(&page, verb);
    terminal_page_end(&page, t);
}
