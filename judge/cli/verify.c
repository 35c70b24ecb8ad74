/*
 * `verify`: checks signed results, and judges them again (docs/grading.md). A bundle
 * holds a hash of its source, so that who judges again needs the source.
 */
#include "base/file.h"
#include "cli/answer.h"
#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/format.h"
#include "cli/grade_known.h"
#include "cli/grade_sign.h"
#include "cli/jsonl.h"
#include "cli/source.h"
#include "cli/submit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct verify {
    struct cli *cli;
    struct jsonl in;
    struct known_set nonces;
    char trusted[BUNDLE_PUBLIC_DIGITS + 1]; /* empty: any key */
    struct source source;
    char source_hash[65]; /* empty: nothing is judged again */
    long good, bad, again;
    long unsigned_lines; /* have a verdict, and no bundle */
};

/* Checks one bundle. Another of the same nonce is a copy, and a line that says something
 * else than its bundle would be believed without it. */
static int
verify_bundle(struct verify *v, const cJSON *line, const cJSON *bundle, struct report *r)
{
    const char *nonce = answer_string(bundle, "nonce"), *differs;

    if (bundle_check(bundle, r) != 0)
        return -1;
    if (v->trusted[0] != '\0' &&
        strcmp(answer_string(bundle, "public_key"), v->trusted) != 0)
        return report_fail(r, "it is signed by another key, %.16s...",
                           answer_string(bundle, "public_key"));
    if (!known_add(&v->nonces, nonce, (off_t)v->in.number, 0))
        return report_fail(r, "it is a copy: its nonce is that of line %lld",
                           (long long)known_find(&v->nonces, nonce)->at);
    differs = line != bundle ? grade_sign_differs(line, bundle) : NULL;
    return differs == NULL ? 0
                           : report_fail(r,
                                         "its \"%s\" is not that of its bundle: the "
                                         "line was changed",
                                         differs);
}

/* --- again ---------------------------------------------------------------- */

static cJSON *
again_body(struct verify *v, const cJSON *bundle)
{
    struct cli *cli = v->cli;
    const char *stage = answer_string(bundle, "stage"),
               *seed = answer_string(bundle, "seed"),
               *device = cli->args.flag[FLAG_DEVICE];
    const bool compiles = strcmp(stage, "compile") == 0 &&
                          strcmp(answer_string(bundle, "verdict"), "accepted") == 0;
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "problem", answer_string(bundle, "problem"));
    if (strcmp(stage, "emu") == 0)
        device = "emu";
    if (device != NULL)
        cJSON_AddStringToObject(body, "device", device);
    submit_add_user(cli, body);
    cJSON_AddStringToObject(body, "filename", "submission.cu");
    cJSON_AddStringToObject(body, "mode", compiles ? "grade_compile" : "grade");
    if (seed[0] != '\0')
        cJSON_AddStringToObject(body, "seed", seed);
    cJSON_AddStringToObject(body, "source", buf_str(&v->source.text));
    return body;
}

/* Says how the second judgement is to the first. Is it the same? */
static bool
again_compare(struct verify *v, const cJSON *bundle, const cJSON *submission)
{
    const struct terminal *t = &v->cli->out;
    const char *before = answer_string(bundle, "verdict"),
               *after = answer_string(submission, "verdict");
    const double time = answer_number(submission, "time_ns");
    struct text32 was, is;
    /* emu accepts what was rejected for a race. */
    const bool by_notice =
        strcmp(before, "race") == 0 || strcmp(before, "out_of_array") == 0;
    const bool same =
        strcmp(before, after) == 0 || (by_notice && strcmp(after, "accepted") == 0);

    terminal_print(t, same ? STYLE_PLAIN : STYLE_BAD,
                   "line %ld: judged again: %s, and it was %s\n", v->in.number, after,
                   before);
    if (strcmp(answer_string(submission, "meaning"), answer_string(bundle, "meaning")) !=
        0)
        terminal_print(t, STYLE_WARN,
                       "  the problem is another here than it was there\n");
    if (time > 0 && answer_string(bundle, "time_ns")[0] != '\0')
        terminal_print(
            t, STYLE_PLAIN, "  the time is %s, and it was %s (%s)\n",
            format_time(&is, time, t->utf8),
            format_time(&was, strtod(answer_string(bundle, "time_ns"), NULL), t->utf8),
            answer_string(bundle, "board"));
    return same;
}

static int
verify_again(struct verify *v, const cJSON *bundle, bool *same)
{
    struct cli *cli = v->cli;
    cJSON *body = again_body(v, bundle), *answer = NULL, *submission = NULL;
    int status = client_exit_status(
        client_post(cli->client, "/api/submissions", body, &answer, &cli->report));

    cJSON_Delete(body);
    if (status == 0)
        status = follow_submission(cli, answer_count(answer, "id"), &submission);
    cJSON_Delete(answer);
    if (status != 0)
        return status;
    v->again++;
    *same = again_compare(v, bundle, submission);
    cJSON_Delete(submission);
    return 0;
}

/* --- the verb ------------------------------------------------------------- */

/* The bundle of a line: the line's own, or the line itself. NULL: it has none. */
static const cJSON *
bundle_of(const cJSON *line)
{
    const cJSON *bundle = cJSON_GetObjectItemCaseSensitive(line, "bundle");

    if (bundle != NULL)
        return bundle;
    return cJSON_GetObjectItemCaseSensitive(line, "signature") != NULL ? line : NULL;
}

static int
verify_line(struct verify *v)
{
    const struct terminal *t = &v->cli->out;
    struct report r = {0};
    cJSON *line = jsonl_parse(&v->in, &r);
    const cJSON *bundle = bundle_of(line);
    bool good = true;
    int status = 0;

    if (line == NULL || (bundle != NULL && verify_bundle(v, line, bundle, &r) != 0)) {
        /* What is no JSON is told with its place already. */
        if (line == NULL)
            terminal_print(t, STYLE_BAD, "%s\n", r.text);
        else
            terminal_print(t, STYLE_BAD, "line %ld: %s\n", v->in.number, r.text);
        good = false;
    } else if (bundle != NULL && v->source_hash[0] != '\0' &&
               strcmp(v->source_hash, answer_string(bundle, "source")) == 0) {
        status = verify_again(v, bundle, &good);
    }
    v->good += good && bundle != NULL;
    v->bad += !good;
    v->unsigned_lines +=
        bundle == NULL && line != NULL && answer_string(line, "verdict")[0] != '\0';
    cJSON_Delete(line);
    return status;
}

static int
verify_open(struct verify *v)
{
    struct cli *cli = v->cli;
    const struct args *args = &cli->args;
    const bool again = args->flag[FLAG_AGAIN] != NULL;
    int status = 0;

    if (again != (args->count > 2)) {
        report_fail(&cli->report, "what is judged again needs its source, as in "
                                  "`warpjudge verify out.jsonl --again mine.cu`");
        return EXIT_BAD_INPUT;
    }
    if ((args->flag[FLAG_KEY] != NULL &&
         bundle_public_read(args->flag[FLAG_KEY], v->trusted, &cli->report) != 0) ||
        (again && source_load(args->positional[2], &v->source, &cli->report) != 0) ||
        jsonl_open(&v->in, args->positional[1], &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (again) {
        hash_hex(v->source.text.data, v->source.text.len, v->source_hash);
        status = cli_connect(cli);
    }
    return status;
}

static int
verify_verb(struct cli *cli)
{
    struct verify v = {.cli = cli};
    const struct terminal *t = &cli->out;
    int status = verify_open(&v), more = 0;

    while (status == 0 && (more = jsonl_next(&v.in, &cli->report)) > 0)
        status = verify_line(&v);
    if (more < 0)
        status = EXIT_BAD_INPUT;
    if (status == 0) {
        terminal_print(t, STYLE_PLAIN, "%ld good, %ld bad", v.good, v.bad);
        if (v.unsigned_lines > 0)
            terminal_print(t, STYLE_WARN, ", %ld without a bundle", v.unsigned_lines);
        if (v.source_hash[0] != '\0')
            terminal_print(t, STYLE_PLAIN, ", %ld judged again", v.again);
        terminal_print(t, STYLE_PLAIN, "%s\n",
                       v.trusted[0] != '\0' ? ""
                                            : "; whose key it is, --key FILE.pub says");
        status = v.bad > 0 || v.good == 0 || (v.source_hash[0] != '\0' && v.again == 0)
                     ? EXIT_OTHER_VERDICT
                     : 0;
    }
    jsonl_close(&v.in);
    known_free(&v.nonces);
    source_free(&v.source);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_KEY, "the public key that must have signed them"},
    {FLAG_AGAIN, "judge what SOURCE.cu belongs to again, by the same seed"},
    {FLAG_DEVICE, "again: where to run, for what a GPU has judged"},
    {FLAG_USER, "again: your name, instead of the login name"},
    {0, NULL},
};

const struct verb verb_verify = {
    .name = "verify",
    .arguments = "BUNDLE [SOURCE.cu]",
    .summary = "check signed results, and judge them again",
    .about =
        "Checks the signature of each bundle in a file: what `warpjudge grade --sign`\n"
        "wrote, or a bundle on a line of its own. A copy of another line's is bad, and "
        "so\n"
        "is one whose line says something else.\n"
        "With --key it must be that key's. With --again what SOURCE.cu belongs to is\n"
        "judged again by the judge that the command line talks to. A signature says "
        "who\n"
        "claims a result, and --again whether it comes out elsewhere.\n"
        "\n"
        "The status is 0 where all are good, and what was judged again has its "
        "verdict.",
    .example = "  warpjudge verify out.jsonl --key mine.key.pub\n"
               "  warpjudge verify out.jsonl --again softmax.cu\n",
    .flags = flags,
    .kind = VERB_JUDGES,
    .least = 1,
    .most = 2,
    .missing = "name the file with the bundles, as in `warpjudge verify out.jsonl`",
    .run = verify_verb,
};
