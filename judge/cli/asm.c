/* `asm`: the instructions that a kernel is compiled to, by source line. The judge
 * compiles the file, or the source of a submission, as it would for a judgement. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/result.h"
#include "cli/source.h"
#include "cli/submit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMPILE_LONGEST_MS 600000L
#define LINES_MAX 10000000L

/* --- what is printed ---------------------------------------------------- */

static const cJSON *
asm_functions(const cJSON *assembly)
{
    return answer_array(assembly, "functions");
}

static bool
piece_is_known(const cJSON *piece)
{
    return cJSON_HasObjectItem(piece, "line");
}

/* Is it of this line of the source itself? 0: any line. */
static bool
piece_matches(const cJSON *piece, long line)
{
    return line == 0 ||
           (!cJSON_HasObjectItem(piece, "file") && answer_count(piece, "line") == line);
}

static void
print_resources(const struct terminal *t, const cJSON *f, const char *arch)
{
    const long spills =
        answer_count(f, "spill_store_bytes") + answer_count(f, "spill_load_bytes");
    struct text32 text;

    terminal_print(t, STYLE_BOLD, "%s", answer_string(f, "name"));
    if (!cJSON_HasObjectItem(f, "registers")) {
        terminal_print(t, STYLE_PLAIN, "%s\n",
                       answer_true(f, "kernel") ? "" : ", a function that is called");
        return;
    }
    terminal_print(t, STYLE_PLAIN, "  %s",
                   format_plural(&text, answer_count(f, "registers"), "register"));
    if (spills > 0)
        terminal_print(t, STYLE_WARN, ", spills: %ld bytes stored, %ld loaded",
                       answer_count(f, "spill_store_bytes"),
                       answer_count(f, "spill_load_bytes"));
    else
        terminal_print(t, STYLE_PLAIN, ", no spills");
    if (answer_count(f, "stack_bytes") > 0)
        terminal_print(t, STYLE_PLAIN, ", %ld bytes of stack",
                       answer_count(f, "stack_bytes"));
    terminal_print(t, STYLE_PLAIN, ", %ld bytes of shared memory (ptxas, %s)\n",
                   answer_count(f, "shared_bytes"), arch);
}

/* Prints the share of an SM's warps for each size of blocks. Neighbours that have the
 * same share stand together. */
static void
print_occupancy(const struct terminal *t, const cJSON *f)
{
    const cJSON *o = answer_array(f, "occupancy");
    struct buf text = {0};

    for (o = o != NULL ? o->child : NULL; o != NULL;) {
        const cJSON *last = o;
        const double share = answer_number(o, "share");
        const char *limit = answer_string(o, "limit");
        struct text32 percent;

        while (last->next != NULL && answer_number(last->next, "share") == share &&
               (share >= 1 || strcmp(answer_string(last->next, "limit"), limit) == 0))
            last = last->next;
        buf_printf(&text, "%s%s with blocks of %ld", text.len > 0 ? ", " : "",
                   format_percent(&percent, 100 * share), answer_count(o, "threads"));
        if (last != o)
            buf_printf(&text, " to %ld", answer_count(last, "threads"));
        if (share < 1)
            buf_printf(&text, " (%s)",
                       strcmp(limit, "shared_memory") == 0 ? "shared memory" : limit);
        o = last->next;
    }
    if (text.len > 0)
        terminal_paragraph(t, STYLE_PLAIN, 2, "occupancy: %s", buf_str(&text));
    buf_free(&text);
}

static void
print_piece(const struct terminal *t, const cJSON *piece, const char *file)
{
    const cJSON *line;

    if (!piece_is_known(piece))
        terminal_print(t, STYLE_DIM, "  (no line is known)\n");
    else if (cJSON_HasObjectItem(piece, "file"))
        terminal_print(t, STYLE_DIM, "  %s:%ld\n", answer_string(piece, "file"),
                       answer_count(piece, "line"));
    else {
        terminal_print(t, STYLE_PLAIN, "  %s:%ld", file, answer_count(piece, "line"));
        terminal_print(t, STYLE_BOLD, "  %s\n", answer_string(piece, "source"));
    }
    cJSON_ArrayForEach(line, answer_array(piece, "text"))
    {
        const char *text = cJSON_GetStringValue(line);
        const size_t len = text != NULL ? strlen(text) : 0;
        const bool label = len > 0 && text[len - 1] == ':';

        terminal_print(t, STYLE_PLAIN, "%*s%s\n", label ? 4 : 8, "",
                       text != NULL ? text : "");
    }
}

static void
asm_print(const struct terminal *t, const cJSON *assembly, const char *file)
{
    const cJSON *f, *piece;
    bool first = true;

    cJSON_ArrayForEach(f, asm_functions(assembly))
    {
        terminal_print(t, STYLE_PLAIN, "%s", first ? "" : "\n");
        first = false;
        print_resources(t, f, answer_string(assembly, "arch"));
        print_occupancy(t, f);
        terminal_print(t, STYLE_PLAIN, "\n");
        cJSON_ArrayForEach(piece, answer_array(f, "code")) print_piece(t, piece, file);
    }
    if (first)
        terminal_print(t, STYLE_PLAIN, "%s has no kernel\n", file);
    if (answer_true(assembly, "truncated"))
        terminal_print(t, STYLE_WARN,
                       "\nit is longer than 1 MiB, and the rest is left out\n");
}

/* --- one line ----------------------------------------------------------- */

/* Says which lines have code, for somebody who asks for another. */
static int
fail_no_line(struct cli *cli, const cJSON *assembly, const char *file, long line)
{
    const cJSON *f, *piece;
    long before = 0, after = 0;

    cJSON_ArrayForEach(f, asm_functions(assembly))
    {
        cJSON_ArrayForEach(piece, answer_array(f, "code"))
        {
            const long n = answer_count(piece, "line");

            if (n == 0 || cJSON_HasObjectItem(piece, "file"))
                continue;
            before = n < line && n > before ? n : before;
            after = n > line && (after == 0 || n < after) ? n : after;
        }
    }
    if (before == 0 && after == 0)
        report_fail(&cli->report, "%s has no instructions of a kernel", file);
    else if (before == 0 || after == 0)
        report_fail(&cli->report,
                    "no instruction stems from %s:%ld; the nearest line is %ld", file,
                    line, before + after);
    else
        report_fail(&cli->report,
                    "no instruction stems from %s:%ld; the nearest lines are %ld and %ld",
                    file, line, before, after);
    return EXIT_BAD_INPUT;
}

/* Leaves only what stems from this line. */
static int
asm_choose_line(struct cli *cli, cJSON *assembly, const char *file, long line)
{
    cJSON *functions = cJSON_GetObjectItemCaseSensitive(assembly, "functions");
    cJSON *chosen = cJSON_CreateArray(), *f, *piece, *next;

    for (f = functions != NULL ? functions->child : NULL; f != NULL; f = f->next) {
        cJSON *some;

        cJSON_ArrayForEach(piece,
                           answer_array(f, "code")) if (piece_matches(piece, line)) break;
        if (piece == NULL)
            continue;
        some = cJSON_Duplicate(f, true);
        piece = cJSON_GetObjectItemCaseSensitive(some, "code");
        for (piece = piece->child; piece != NULL; piece = next) {
            next = piece->next;
            if (!piece_matches(piece, line))
                cJSON_Delete(cJSON_DetachItemViaPointer(
                    cJSON_GetObjectItemCaseSensitive(some, "code"), piece));
        }
        cJSON_AddItemToArray(chosen, some);
    }
    if (cJSON_GetArraySize(chosen) == 0) {
        cJSON_Delete(chosen);
        return fail_no_line(cli, assembly, file, line);
    }
    cJSON_ReplaceItemInObjectCaseSensitive(assembly, "functions", chosen);
    return 0;
}

/* --- asking ------------------------------------------------------------- */

static const char *
asm_form(const struct cli *cli)
{
    return cli->args.flag[FLAG_SASS] != NULL ? "sass" : "ptx";
}

/* Asks about a file. *file is what the judge calls it; the caller frees. */
static int
asm_of_file(struct cli *cli, const char *path, cJSON **out, char **file)
{
    struct source source;
    cJSON *body = NULL;
    char *call = xasprintf("/api/assembly?form=%s", asm_form(cli));
    int status = EXIT_BAD_INPUT;

    if (source_load(path, &source, &cli->report) == 0)
        status = submit_body(cli, &source, "run", NULL, &body);
    if (status == 0) {
        *file = xstrdup(source.name);
        client_wait_longer(cli->client, COMPILE_LONGEST_MS);
        status =
            client_exit_status(client_post(cli->client, call, body, out, &cli->report));
    }
    cJSON_Delete(body);
    source_free(&source);
    free(call);
    return status;
}

/* The same about a submission. */
static int
asm_of_submission(struct cli *cli, long id, cJSON **out, char **file)
{
    char *call = xasprintf("/api/submissions/%ld/assembly?form=%s", id, asm_form(cli));
    char *about = xasprintf("/api/submissions/%ld", id);
    cJSON *submission = NULL;
    int status = cli_connect(cli);

    if (status == 0)
        status =
            client_exit_status(client_get(cli->client, about, &submission, &cli->report));
    if (status == 0) {
        *file = xstrdup(answer_string(submission, "filename"));
        client_wait_longer(cli->client, COMPILE_LONGEST_MS);
        status = client_exit_status(client_get(cli->client, call, out, &cli->report));
    }
    cJSON_Delete(submission);
    free(about);
    free(call);
    return status;
}

/* A number is a submission, unless there is a file of that name. */
static int
asm_ask(struct cli *cli, cJSON **out, char **file)
{
    const char *what = cli->args.positional[1];
    long id = 0;

    if (what[strspn(what, "0123456789")] != '\0' || access(what, F_OK) == 0)
        return asm_of_file(cli, what, out, file);
    if (cli->args.flag[FLAG_PROBLEM] != NULL || cli->args.flag[FLAG_DEVICE] != NULL) {
        report_fail(&cli->report,
                    "submission %s has a problem and a device already: "
                    "leave --problem and --device out",
                    what);
        return EXIT_BAD_INPUT;
    }
    if (args_submission(what, &id, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    return asm_of_submission(cli, id, out, file);
}

/* Says why a source does not compile. */
static void
asm_print_message(struct cli *cli, const cJSON *assembly)
{
    terminal_print(&cli->out, STYLE_BAD, "compile error\n");
    terminal_print(&cli->out, STYLE_PLAIN, "\n%s\n", answer_string(assembly, "message"));
}

static int
asm_show(struct cli *cli, cJSON *assembly, const char *file, long line)
{
    const bool compiles = answer_true(assembly, "compiles");

    if (compiles && line > 0 && asm_choose_line(cli, assembly, file, line) != 0)
        return EXIT_BAD_INPUT;
    if (cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, assembly);
    else if (compiles)
        asm_print(&cli->out, assembly, file);
    else
        asm_print_message(cli, assembly);
    return compiles ? 0 : EXIT_OTHER_VERDICT;
}

static int
asm_verb(struct cli *cli)
{
    cJSON *assembly = NULL;
    char *file = NULL;
    long line = 0;
    int status;

    if (cli->args.flag[FLAG_PTX] != NULL && cli->args.flag[FLAG_SASS] != NULL) {
        report_fail(&cli->report, "--ptx and --sass are two forms: choose one");
        return EXIT_BAD_INPUT;
    }
    if (cli->args.flag[FLAG_LINE] != NULL &&
        args_number(&cli->args, FLAG_LINE, LINES_MAX, &line, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = asm_ask(cli, &assembly, &file);
    if (status == 0)
        status = asm_show(cli, assembly, file, line);
    cJSON_Delete(assembly);
    free(file);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_PTX, "the PTX, as without --sass"},
    {FLAG_SASS, "the GPU's own code; the judge needs nvdisasm"},
    {FLAG_LINE, "only what stems from this line of the file"},
    {FLAG_PROBLEM, "the problem, where the file does not name it"},
    {FLAG_DEVICE,
     "what to compile for: emu, cuda:0, ... (`warpjudge status` lists them)"},
    {FLAG_USER, "your name, instead of the login name"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_asm = {
    .name = "asm",
    .arguments = "FILE.cu|ID",
    .summary = "show the instructions that a kernel is compiled to, by source line",
    .about =
        "Has the judge compile the file, or the source of the submission ID, as for a\n"
        "judgement. Shows each kernel's instructions below the line that they stem "
        "from,\n"
        "what ptxas gives it (registers, spilled bytes, shared memory), and which part\n"
        "of an SM's warps fit at once. Code inlined from a header stands at the line "
        "that\n"
        "calls it. Nothing is judged or kept. On emu ptxas assembles for the GPU that "
        "is\n"
        "modelled. The file names its problem as for `submit`.",
    .example = "  warpjudge asm vec.cu\n"
               "  warpjudge asm --sass --line 14 vec.cu\n"
               "  warpjudge asm 17\n",
    .flags = flags,
    .kind = VERB_JUDGES,
    .least = 1,
    .most = 1,
    .missing = "name the file, or a submission, as in `warpjudge asm vec.cu`",
    .run = asm_verb,
};
