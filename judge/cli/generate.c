/* `generate`: prints the manual page and what shells complete, from the verbs' own
 * tables. `make install` calls it. */
#include "cli/cli.h"
#include "cli/generate_words.h"

#include <string.h>

/* Prints text in which each of these characters has a backslash before it. */
static void
print_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* --- the manual page ------------------------------------------------------ */

/* Prints lines as troff takes them: a line that begins with a full stop or an apostrophe
 * would be a command, and a bare hyphen another character. */
static void
man_text(FILE *out, const char *text)
{
    bool begins = true;

    for (; *text != '\0'; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        begins = *text == '\n';
    }
}

static void
man_flag(FILE *out, const struct verb_flag *f)
{
    const char *value = flag_value_name(f->flag);

    fputs(".TP\n.B ", out);
    if (flag_letter(f->flag) != 0)
        fprintf(out, "\\-%c, ", flag_letter(f->flag));
    fputs("\\-\\-", out);
    man_text(out, flag_name(f->flag));
    if (value != NULL)
        fputc(' ', out);
    man_text(out, value != NULL ? value : "");
    fputc('\n', out);
    man_text(out, f->about);
    fputc('\n', out);
}

static void
man_verb(FILE *out, const struct verb *v)
{
    fputs(".SS warpjudge ", out);
    man_text(out, v->name);
    fputs(v->arguments[0] != '\0' ? " " : "", out);
    man_text(out, v->arguments);
    fputs("\n.nf\n", out);
    man_text(out, v->about);
    fputs("\n.fi\n", out);
    for (const struct verb_flag *f = v->flags; f->about != NULL; f++)
        man_flag(out, f);
    fputs(".PP\nFor example:\n.PP\n.nf\n", out);
    man_text(out, v->example);
    fputs(".fi\n", out);
}

static void
generate_man(FILE *out)
{
    fputs(".TH WARPJUDGE 1 \"\" \"warpjudge " WARPJUDGE_VERSION "\"\n"
          ".SH NAME\nwarpjudge \\- an online judge for CUDA kernels\n"
          ".SH SYNOPSIS\n.B warpjudge\n.I VERB\n[arguments and flags, in any order]\n"
          ".SH DESCRIPTION\nIt says whether a CUDA kernel is right, how fast it is, how "
          "near the hardware's limit,\nand where it ranks. Each verb has a --help that "
          "says what stands here, and its exit\nstatus.\n.SH VERBS\n",
          out);
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++)
        man_verb(out, *v);
    fputs(".SH FILES\n.TP\n.I WARPJUDGE_HOME\nThe folder of the database, the socket "
          "and the cache; otherwise\n~/.local/share/warpjudge.\n"
          ".TP\n.I /etc/warpjudge/warpjudge.conf\nOptions of serve, where the home has "
          "no warpjudge.conf.\n"
          ".SH SEE ALSO\nREADME.md and operating.md in share/doc/warpjudge.\n",
          out);
}

/* --- shells --------------------------------------------------------------- */

/* Prints a case of bash for each flag whose values are known. A flag means the same in
 * every verb. */
static void
bash_values(FILE *out, const struct generate_words *w)
{
    for (int flag = 0; flag < FLAG_COUNT; flag++) {
        const char *words = generate_words_of_flag(w, (enum flag)flag);

        if (words == NULL)
            continue;
        fprintf(out, "    --%s", flag_name((enum flag)flag));
        if (flag_letter((enum flag)flag) != 0)
            fprintf(out, "|-%c", flag_letter((enum flag)flag));
        fprintf(out, ") words=\"%s\" ;;\n", words);
    }
}

static void
generate_bash(FILE *out, const struct generate_words *w)
{
    fputs("_warpjudge() {\n    local cur=${COMP_WORDS[COMP_CWORD]} words= named=\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"",
          out);
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++)
        fprintf(out, "%s ", (*v)->name);
    fputs("--help --version\"\n    else\n        case ${COMP_WORDS[1]} in\n", out);
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++) {
        fprintf(out, "        %s) words=\"--help", (*v)->name);
        for (const struct verb_flag *f = (*v)->flags; f->about != NULL; f++)
            fprintf(out, " --%s", flag_name(f->flag));
        if (generate_words_of_verb(w, *v) != NULL)
            fprintf(out, "\" named=\"%s", generate_words_of_verb(w, *v));
        fputs("\" ;;\n", out);
    }
    fputs("        esac\n        case $cur in -*) ;; *) words=$named ;; esac\n    fi\n"
          "    case ${COMP_WORDS[COMP_CWORD-1]} in\n",
          out);
    bash_values(out, w);
    fputs("    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
          "complete -o default -F _warpjudge warpjudge\n",
          out);
}

static void
fish_about(FILE *out, const char *about)
{
    fputs(" -d '", out);
    print_escaped(out, about, "\\'");
    fputs("'\n", out);
}

static void
generate_fish(FILE *out, const struct generate_words *w)
{
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++) {
        fprintf(out, "complete -c warpjudge -n __fish_use_subcommand -a %s", (*v)->name);
        fish_about(out, (*v)->summary);
        if (generate_words_of_verb(w, *v) != NULL)
            fprintf(out,
                    "complete -c warpjudge -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                    (*v)->name, generate_words_of_verb(w, *v));
        for (const struct verb_flag *f = (*v)->flags; f->about != NULL; f++) {
            fprintf(out,
                    "complete -c warpjudge -n '__fish_seen_subcommand_from %s' -l %s",
                    (*v)->name, flag_name(f->flag));
            if (flag_letter(f->flag) != 0)
                fprintf(out, " -s %c", flag_letter(f->flag));
            fputs(flag_value_name(f->flag) != NULL ? " -r" : "", out);
            if (generate_words_of_flag(w, f->flag) != NULL)
                fprintf(out, " -f -a '%s'", generate_words_of_flag(w, f->flag));
            fish_about(out, f->about);
        }
    }
}

/* Prints text within the quotes of a shell. The quote itself ends them, and begins them
 * anew behind an escaped one. */
static void
zsh_quoted(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text) != NULL)
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

/* Prints what a value is completed by: one of some words, or files. Words may have a
 * colon. */
static void
zsh_action(FILE *out, const char *words)
{
    fputs(words != NULL ? ":(" : ":_files", out);
    if (words != NULL) {
        zsh_quoted(out, words);
        fputs(")", out);
    }
}

static void
generate_zsh(FILE *out, const struct generate_words *w)
{
    fputs("#compdef warpjudge\n_warpjudge() {\n    local -a verbs\n    verbs=(\n", out);
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++) {
        fprintf(out, "        '%s:", (*v)->name);
        zsh_quoted(out, (*v)->summary);
        fputs("'\n", out);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n"
          "        return\n    fi\n    case $words[2] in\n",
          out);
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++) {
        fprintf(out, "    %s) _arguments", (*v)->name);
        for (const struct verb_flag *f = (*v)->flags; f->about != NULL; f++) {
            const char *value = flag_value_name(f->flag);
            const char *words = generate_words_of_flag(w, f->flag);

            fprintf(out, " \\\n        '--%s[", flag_name(f->flag));
            zsh_quoted(out, f->about);
            fputs("]", out);
            if (value != NULL) {
                fputs(":", out);
                zsh_quoted(out, value);
                zsh_action(out, words);
            }
            fputs("'", out);
        }
        fputs(" \\\n        '*:argument", out);
        zsh_action(out, generate_words_of_verb(w, *v));
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n_warpjudge \"$@\"\n", out);
}

/* --- the verb ------------------------------------------------------------- */

/* Prints what one shell completes. */
static int
generate_completions(struct cli *cli,
                     void (*print)(FILE *out, const struct generate_words *words))
{
    struct generate_words words = {0};
    int status = cli_configure(cli);

    if (status == 0 &&
        generate_words_read(cli->config.problems, &words, &cli->report) != 0)
        status = EXIT_BAD_INPUT;
    if (status == 0)
        print(cli->out.file, &words);
    generate_words_free(&words);
    return status;
}

static int
generate_verb(struct cli *cli)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out, const struct generate_words *words);
    } shells[] = {
        {"bash", generate_bash}, {"fish", generate_fish}, {"zsh", generate_zsh}};
    const char *kind = cli->args.positional[1];

    if (strcmp(kind, "man") == 0) {
        generate_man(cli->out.file);
        return 0;
    }
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(kind, shells[i].name) == 0)
            return generate_completions(cli, shells[i].print);
    report_fail(&cli->report, "`warpjudge generate` knows man, bash, fish and zsh");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {{0, NULL}};

const struct verb verb_generate = {
    .name = "generate",
    .arguments = "man | bash | fish | zsh",
    .summary = "print the manual page, or what a shell completes",
    .about = "Prints the manual page, or a file by which a shell completes verbs and "
             "flags,\n"
             "and the problems and tags that are here when it is printed.\n"
             "`make install` puts all of them in their folders.",
    .example = "  warpjudge generate bash >~/.local/share/bash-completion/completions/"
               "warpjudge\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .least = 1,
    .most = 1,
    .missing = "say what to print, as in `warpjudge generate man`",
    .run = generate_verb,
};
