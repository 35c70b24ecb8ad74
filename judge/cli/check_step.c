/* The steps of a check: a problem's own folder, and the judging of one file. Each makes a
 * job folder and runs the programs that judge submissions. */
#include "base/buf.h"
#include "base/file.h"
#include "cli/check.h"
#include "cli/draft.h"
#include "cli/job_run.h"
#include "cli/source.h"
#include "problem/ladder.h"
#include "problem/problem.h"
#include "problem/problem_check.h"
#include "record/job.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS_MAX 2
#define SAMPLE_UNCONTRACTED 2 /* sixteenths of the right files */
#define SAMPLE_WRONG 8        /* sixteenths of the wrong ones */

/* A check judges every solution with these inputs, so that it finds the same each time.
 */
#define CHECK_SEED "636865636b000000000000000000000000000000000000000000000000000000"
#define HEADER_LINES 20
#define STATEMENT_BYTES_MAX ((size_t)1 << 20)

void
step_result_free(struct step_result *r)
{
    findings_free(&r->findings);
    free(r->failure);
    *r = (struct step_result){0};
}

static void
step_fail(struct step_result *out, const char *what)
{
    if (out->failure == NULL)
        out->failure = xstrdup(what);
}

/* --- job folders -------------------------------------------------------------------- */

/* Makes a new folder with a job.json. The caller calls job_run_close(). NULL where that
 * failed. */
static char *
open_folder(const struct check_options *o, const char *slug, const char *filename,
            struct step_result *out)
{
    const struct job job = {.attempt = 1,
                            .problem = (char *)(uintptr_t)slug,
                            .problems_dir = o->config->problems,
                            .device = (char *)(uintptr_t) "emu",
                            .arch = o->arch,
                            .filename = (char *)(uintptr_t)filename,
                            .cache_dir = o->config->cache,
                            .insecure = o->insecure,
                            .uncontracted = o->uncontracted,
                            .seed = (char *)(uintptr_t)CHECK_SEED};
    struct report r = {0};
    char *folder = job_run_open(o->scratch, &job, &r);

    if (folder == NULL)
        step_fail(out, r.text);
    return folder;
}

/* --- the problem itself ------------------------------------------------------------- */

/* Replaces the question marks by the texts. It goes from the last line to the first,
 * because a text may have several lines. */
static int
fill_text(const struct findings *f, struct buf *text, struct report *r)
{
    for (int done = 0, below = INT_MAX; done < f->fill_count; done++) {
        const struct fill *next = NULL;
        struct buf filled = {0};
        const char *line = buf_str(text), *mark;

        for (int i = 0; i < f->fill_count; i++)
            if (f->fill[i].line < below && (next == NULL || f->fill[i].line > next->line))
                next = &f->fill[i];
        if (next == NULL)
            break; /* never reached: each line has at most one text */
        below = next->line;
        for (int n = 1; n < next->line && (line = strchr(line, '\n')) != NULL; n++)
            line++;
        mark = line != NULL ? strchr(line, '?') : NULL;
        if (mark == NULL)
            return report_fail(r, "statement.md changed while it was checked");
        buf_add(&filled, buf_str(text), (size_t)(mark - buf_str(text)));
        buf_puts(&filled, next->text);
        buf_puts(&filled, mark + 1);
        buf_free(text);
        *text = filled;
    }
    return 0;
}

/* Fills in what the reference says, if nothing is wrong with the problem. */
static void
fill_statement(const struct check_options *o, const char *slug, struct step_result *out)
{
    char *path = xasprintf("%s/%s/statement.md", o->config->problems, slug);
    struct buf text = {0};
    struct report r = {0};

    if (out->findings.fill_count > 0 && out->findings.count == 0) {
        if (file_read(path, STATEMENT_BYTES_MAX, &text, &r) == 0 &&
            fill_text(&out->findings, &text, &r) == 0 &&
            file_write(path, text.data, text.len, &r) == 0)
            out->filled = true;
        else
            findings_add(&out->findings, "statement.md", "%s", r.text);
    }
    buf_free(&text);
    free(path);
}

/* Reports a statement whose first sentence is still the draft's. This comes last: an
 * example is filled in only where nothing else is wrong, and the sentence may be written
 * after that. */
static void
check_statement(const struct check_options *o, const char *slug, struct step_result *out)
{
    char *path = xasprintf("%s/%s/statement.md", o->config->problems, slug);
    struct buf text = {0};
    struct report r = {0};
    const char *sentence;

    if (file_read(path, STATEMENT_BYTES_MAX, &text, &r) != 0) {
        findings_add(&out->findings, "statement.md", "%s", r.text);
    } else if ((sentence = strstr(buf_str(&text), DRAFT_SENTENCE)) != NULL) {
        int line = 1;
        char *where;

        for (const char *c = buf_str(&text); c < sentence; c++)
            line += *c == '\n';
        where = xasprintf("statement.md:%d", line);
        findings_add(&out->findings, where,
                     "still reads as `problem new` wrote it: say what solve() computes");
        free(where);
    }
    buf_free(&text);
    free(path);
}

static void
keep_finding(void *context, const char *where, const char *sentence)
{
    findings_add(context, where, "%s", sentence);
}

/* The author's file of which a compiler complains, as in "checker.c:3:1: error: ...". */
static const char *
complained_of(const char *message, const char *otherwise)
{
    static const char *const names[] = {"inputs.c", "checker.c"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(message, names[i], strlen(names[i])) == 0)
            return names[i];
    return otherwise;
}

/* Where the reference seems to leave its buffers, the line is looked for. */
static int
find_line(const struct check_options *o, const char *folder, struct report *r)
{
    char *call = xasprintf("%s/" JOB_CALL_FOLDER, folder);
    const bool kept = access(call, F_OK) == 0;

    free(call);
    return kept ? job_run_program(o->config, "warpjudge-compile", "--bounds", folder, "",
                                  r)
                : 0;
}

static void
check_sound(const struct check_options *o, const char *slug, const char *reference,
            struct step_result *out)
{
    char *folder = open_folder(o, slug, "reference", out);
    struct compile_result compiled = {0};
    struct report r = {0};

    if (folder == NULL)
        return;
    if (job_run_program(o->config, "warpjudge-compile", "--reference", folder, "", &r) !=
            0 ||
        compile_result_read(folder, &compiled, &r) != 0) {
        step_fail(out, r.text);
    } else if (!compiled.ok) {
        findings_add(&out->findings, complained_of(compiled.message, reference),
                     "does not compile: %s", compiled.message);
        out->unusable = true;
    } else if (job_run_program(o->config, "warpjudge-arbiter", "--soundness", folder, "",
                               &r) != 0 ||
               find_line(o, folder, &r) != 0 ||
               findings_read(folder, &out->findings, &r) != 0) {
        step_fail(out, r.text);
    } else {
        fill_statement(o, slug, out);
    }
    compile_result_free(&compiled);
    job_run_close(folder);
}

/* Does a finding at this place mean that nothing can be judged? */
static bool
step_needs_file(const char *where)
{
    return strncmp(where, "reference", strlen("reference")) == 0 ||
           strcmp(where, "inputs.c") == 0 || strcmp(where, "checker.c") == 0;
}

void
step_problem(const struct check_options *o, const char *slug, struct check_facts *facts,
             struct step_result *out)
{
    struct report r = {0};
    struct problem *p;
    int errors = problem_check(o->config->problems, slug, keep_finding, &out->findings);

    out->unusable = errors > 0;
    if (errors > 0)
        return;
    p = problem_load(o->config->problems, slug, &r);
    if (p == NULL) {
        step_fail(out, r.text); /* the file was there a moment ago */
        return;
    }
    *facts = (struct check_facts){.tests = p->test_count,
                                  .has_c = p->has_reference_c,
                                  .has_cu = p->has_reference_cu};
    if (problem_runs_on(p, "emu", o->arch, 1, &r) != 0)
        facts->not_here = xstrdup(r.text);
    problem_free(p);
    check_sound(o, slug, facts->has_c ? "reference.c" : "reference.cu", out);
    check_statement(o, slug, out);
    out->unusable = out->unusable || out->findings.uncalled;
    for (int i = 0; i < out->findings.count; i++)
        if (step_needs_file(out->findings.list[i].where))
            out->unusable = true;
}

/* --- a submission ------------------------------------------------------------------- */

/* Makes one attempt, which ends with *verdict and *message. The caller frees the message.
 * False where we failed. */
static bool
judge_once(const struct check_options *o, const char *slug, const struct source *source,
           bool compile_only, enum verdict *verdict, char **message, bool *retry,
           struct step_result *out)
{
    char *folder = open_folder(o, slug, source->name, out);
    struct compile_result compiled = {0};
    struct result result = {0};
    struct report r = {0};
    bool ok;

    if (folder == NULL)
        return false;
    ok = job_run_judge(o->config, folder, &source->text, compile_only, &compiled, &result,
                       &r) == 0;
    if (!ok) {
        step_fail(out, r.text);
    } else if (!compiled.ok || compile_only) {
        *verdict = compiled.verdict;
        *message = xstrdup(compiled.message);
    } else {
        *verdict = result.verdict;
        *message = xstrdup(result.message);
        *retry = result.may_retry;
    }
    compile_result_free(&compiled);
    result_free(&result);
    job_run_close(folder);
    return ok;
}

/* Judges a file. Like the daemon, it makes a second attempt where we may be at fault. */
static bool
step_judge_source(const struct check_options *o, const char *slug,
                  const struct source *source, bool compile_only, enum verdict *verdict,
                  char **message, struct step_result *out)
{
    for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        bool retry = false, ok;

        free(*message);
        *message = NULL;
        ok = judge_once(o, slug, source, compile_only, verdict, message, &retry, out);
        if (ok && *verdict != VERDICT_JUDGE_ERROR && !retry)
            return true;
        if (attempt == ATTEMPTS_MAX && ok && *verdict != VERDICT_JUDGE_ERROR)
            return true;
        if (attempt == ATTEMPTS_MAX && ok)
            step_fail(out, *message);
        if (attempt < ATTEMPTS_MAX) {
            free(out->failure);
            out->failure = NULL;
        }
    }
    return false;
}

/* The value of a line `// KEY: value` among the first lines. It is "" for a line without
 * a value, and NULL where there is no such line. The caller frees. */
static char *
header_value(const char *text, const char *key, int *line)
{
    const size_t len = strlen(key);

    for (int i = 1; i <= HEADER_LINES && *text != '\0'; i++) {
        const char *at = text + strspn(text, " \t");
        const size_t rest = strcspn(text, "\n");

        if (at[0] == '/' && at[1] == '/') {
            at += 2 + strspn(at + 2, " \t");
            if (strncmp(at, key, len) == 0 && at[len] == ':') {
                at += len + 1;
                at += strspn(at, " \t");
                *line = i;
                return xasprintf("%.*s", (int)strcspn(at, " \t\r\n"), at);
            }
        }
        text += rest + (text[rest] == '\n');
    }
    return NULL;
}

/* The verdict that the file's header states for emu, which the caller frees. NULL, after
 * having reported it, where the header is of no use. */
static char *
expected_verdict(const struct source *source, const char *name, int *line,
                 struct step_result *out)
{
    const char *text = buf_str(&source->text);
    char *value = header_value(text, "expect-emu", line);
    enum verdict unused;

    if (value == NULL)
        value = header_value(text, "expect", line);
    if (value == NULL) {
        findings_add(
            &out->findings, name,
            "does not say which verdict it must get: begin it with a line such as "
            "`// expect: accepted`");
    } else if (strcmp(value, "any") != 0 && verdict_parse(value, &unused) != 0) {
        char *where = xasprintf("%s:%d", name, *line);
        struct buf known = {0};

        for (enum verdict v = 0; v < VERDICT_JUDGE_ERROR; v++)
            buf_printf(&known, "%s, ", verdict_name(v));
        findings_add(&out->findings, where, "\"%s\" is no verdict; known are %sany",
                     value, buf_str(&known));
        buf_free(&known);
        free(where);
        free(value);
        value = NULL;
    }
    return value;
}

/* "compute_90a" where the file's header says `needs: sm_90a`, and emu's PTX is of less;
 * NULL where emu has what the file needs. The caller frees. */
static char *
needed_arch(const struct check_options *o, const struct source *source, const char *name,
            struct step_result *out)
{
    static const char prefix[] = "sm_";
    const size_t at = sizeof prefix - 1;
    int line = 0;
    long needed = 0;
    char *value = header_value(buf_str(&source->text), "needs", &line), *arch = NULL;
    char *end = value, *where;

    if (value == NULL)
        return NULL;
    if (strncmp(value, prefix, at) == 0)
        needed = strtol(value + at, &end, 10);
    if (needed <= 0 || needed > 999 || (end[0] == 'a' ? end[1] : end[0]) != '\0') {
        where = xasprintf("%s:%d", name, line);
        findings_add(&out->findings, where,
                     "\"%s\" is no architecture; one is sm_90, or sm_90a", value);
        free(where);
    } else if (*end == 'a' || needed > strtol(o->arch + strlen("compute_"), NULL, 10)) {
        arch = xasprintf("compute_%s", value + at);
    }
    free(value);
    return arch;
}

static void
compare_verdict(const struct check_options *o, const char *slug,
                const struct source *source, const char *name, const char *expected,
                int line, bool compile_only, struct step_result *out)
{
    enum verdict verdict = VERDICT_JUDGE_ERROR;
    char *message = NULL, *where;

    if (compile_only && strcmp(expected, "any") != 0 &&
        strcmp(expected, verdict_name(VERDICT_COMPILE_ERROR)) != 0)
        expected = verdict_name(VERDICT_ACCEPTED);
    if (step_judge_source(o, slug, source, compile_only, &verdict, &message, out) &&
        strcmp(expected, "any") != 0 && strcmp(expected, verdict_name(verdict)) != 0) {
        where = line > 0 ? xasprintf("%s:%d", name, line) : xstrdup(name);
        findings_add(&out->findings, where, "must be %s%s, but is %s%s%s", expected,
                     o->uncontracted ? " without fused multiply-adds (--fmad=false)" : "",
                     verdict_name(verdict), message[0] != '\0' ? ": " : "", message);
        free(where);
    }
    free(message);
}

/* Is this file among so many sixteenths of all? They are the same each time, whatever
 * other files there are. */
static bool
step_is_sampled(const char *slug, const char *name, long sixteenths)
{
    char *text = xasprintf("%s/%s", slug, name), digits[65];

    hash_hex(text, strlen(text), digits);
    free(text);
    digits[1] = '\0';
    return strtol(digits, NULL, 16) < sixteenths;
}

/* Judges a file that was accepted once more, without the fused multiply-adds that nvcc
 * makes by default. Nobody who writes a right solution decides about them. */
static void
compare_uncontracted(const struct check_options *o, const char *slug,
                     const struct source *source, const char *name, int line,
                     struct step_result *out)
{
    struct check_options options = *o;

    options.uncontracted = true;
    if (o->extent == CHECK_FAST)
        return;
    if (o->extent == CHECK_ALL || step_is_sampled(slug, name, SAMPLE_UNCONTRACTED))
        compare_verdict(&options, slug, source, name, verdict_name(VERDICT_ACCEPTED),
                        line, false, out);
}

/* Is this file left out of what is checked? A sample has half of the wrong solutions, and
 * a fast check none. The right steps of ladders that emu can run are judged by the test
 * of ladders. */
static bool
is_left_out(const struct check_options *o, const char *slug, const char *stated,
            const char *arch, const char *name)
{
    const char *slash = strrchr(name, '/');

    if (o->extent == CHECK_ALL || stated == NULL || arch != NULL || slash == NULL)
        return false;
    return strcmp(stated, verdict_name(VERDICT_ACCEPTED)) == 0
               ? ladder_number(slash + 1) > 0
               : o->extent == CHECK_FAST || !step_is_sampled(slug, name, SAMPLE_WRONG);
}

void
step_judge(const struct check_options *o, const char *slug, const char *path,
           const char *name, const char *expected, bool compile_only,
           struct step_result *out)
{
    struct source source = {0};
    struct check_options options = *o;
    struct report r = {0};
    char *stated = NULL, *arch = NULL;
    int line = 0;

    if (source_load(path, &source, &r) != 0) {
        findings_add(&out->findings, name, "%s", r.text);
    } else if (expected == NULL && source.problem != NULL &&
               strcmp(source.problem, slug) != 0) {
        findings_add(&out->findings, name, "says that it is for %s", source.problem);
    } else if (expected == NULL) {
        stated = expected_verdict(&source, name, &line, out);
        expected = stated;
        out->accepted += stated != NULL && strcmp(stated, "accepted") == 0;
        out->refused += stated != NULL && strcmp(stated, "accepted") != 0;
        arch = needed_arch(o, &source, name, out);
    }
    if (arch != NULL)
        options.arch = arch;
    if (is_left_out(o, slug, stated, arch, name))
        expected = NULL;
    if (expected != NULL && out->findings.count == 0)
        compare_verdict(&options, slug, &source, name, expected, line,
                        compile_only || arch != NULL, out);
    if (expected != NULL && strcmp(expected, verdict_name(VERDICT_ACCEPTED)) == 0 &&
        !compile_only && arch == NULL && out->findings.count == 0 && out->failure == NULL)
        compare_uncontracted(&options, slug, &source, name, line, out);
    source_free(&source);
    free(stated);
    free(arch);
}
