/* Spreads the steps of a check over threads, and prints each problem when it is done. */
#include "cli/check.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/format.h"
#include "cli/job_run.h"
#include "problem/problem.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOBS_MAX 256

/* --- problems and their steps ------------------------------------------------------- */

struct item {
    const char *slug;
    struct check_facts facts;
    struct step_result result; /* of all steps that have ended */
    char **solution;           /* paths, which are known after the first step */
    int solution_count;
    int step;  /* the next one to be taken */
    int steps; /* how many there are; 1 until that is known */
    int running;
    bool first_done;
    uint64_t begin_ns, end_ns;
};

struct check {
    struct check_options options;
    struct item *item;
    int count;
    /* `lock` protects everything below, and the items. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stopping;
};

/* A signal sets it. No further step is begun then, and the folders are removed. */
static volatile sig_atomic_t interrupted;

static void
on_signal(int number)
{
    interrupted = number;
}

static bool
is_done(const struct item *i)
{
    return i->first_done && i->step == i->steps && i->running == 0;
}

/* The problem of which a step can be taken now, or NULL. *all_taken says that there is
 * none later, either. */
static struct item *
next_item(struct check *c, bool *all_taken)
{
    *all_taken = true;
    for (int k = 0; k < c->count; k++) {
        struct item *i = &c->item[k];

        if (i->step < i->steps)
            return i;
        *all_taken = *all_taken && i->first_done;
    }
    return NULL;
}

static int
compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
list_solutions(const char *solutions, struct item *i)
{
    char *folder = xasprintf("%s/%s", solutions, i->slug);
    DIR *d = opendir(folder);
    const struct dirent *e;

    while (d != NULL && (e = readdir(d)) != NULL) {
        const size_t len = strlen(e->d_name);

        if (len < 4 || strcmp(e->d_name + len - 3, ".cu") != 0 || e->d_name[0] == '.')
            continue;
        i->solution =
            xrealloc(i->solution, sizeof *i->solution * (size_t)(i->solution_count + 1));
        i->solution[i->solution_count++] = xasprintf("%s/%s", folder, e->d_name);
    }
    if (d != NULL)
        closedir(d);
    if (i->solution_count > 1)
        qsort(i->solution, (size_t)i->solution_count, sizeof *i->solution, compare_paths);
    free(folder);
}

static bool
has_both(const struct item *i)
{
    return i->facts.has_c && i->facts.has_cu;
}

static void
take_step(const struct check *c, const struct item *i, int step,
          struct check_facts *facts, struct step_result *out)
{
    const int solution = step - 1 - has_both(i);
    char *path, *name;

    if (step == 0) {
        step_problem(&c->options, i->slug, facts, out);
        return;
    }
    if (solution < 0) {
        path = xasprintf("%s/%s/reference.cu", c->options.config->problems, i->slug);
        name = xstrdup("reference.cu");
    } else {
        path = xstrdup(i->solution[solution]);
        name = xasprintf("solutions/%s/%s", i->slug, strrchr(path, '/') + 1);
    }
    step_judge(&c->options, i->slug, path, name, solution < 0 ? "accepted" : NULL,
               i->facts.not_here != NULL, out);
    free(path);
    free(name);
}

/* Compares findings by their places, because steps end in any order. */
static int
compare_findings(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    return strcmp(x->where, y->where);
}

static void
check_merge(struct item *i, int step, const struct check_facts *facts,
            struct step_result *r)
{
    struct findings *all = &i->result.findings;
    const int before = all->count;

    for (int k = 0; k < r->findings.count; k++)
        findings_add(all, r->findings.list[k].where, "%s", r->findings.list[k].sentence);
    for (int k = 0; k < r->findings.fill_count; k++)
        findings_add_fill(all, r->findings.fill[k].line,
                          xstrdup(r->findings.fill[k].text));
    if (step > 0 && before > 0)
        qsort(all->list, (size_t)all->count, sizeof *all->list, compare_findings);
    i->result.accepted += r->accepted;
    i->result.refused += r->refused;
    i->result.filled |= r->filled;
    all->uncalled |= r->findings.uncalled;
    if (r->failure != NULL && i->result.failure == NULL)
        i->result.failure = xstrdup(r->failure);
    if (step == 0) {
        i->facts = *facts;
        i->first_done = true;
        if (!r->unusable && r->failure == NULL)
            i->steps = 1 + has_both(i) + i->solution_count;
    }
}

static void *
check_worker(void *argument)
{
    struct check *c = argument;

    pthread_mutex_lock(&c->lock);
    for (;;) {
        struct step_result result = {0};
        struct check_facts facts = {0};
        bool all_taken;
        struct item *i = next_item(c, &all_taken);
        int step;

        if (c->stopping || (i == NULL && all_taken))
            break;
        if (i == NULL) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }
        step = i->step++;
        i->running++;
        if (step == 0)
            i->begin_ns = now_ns();
        pthread_mutex_unlock(&c->lock);
        take_step(c, i, step, &facts, &result);
        pthread_mutex_lock(&c->lock);
        check_merge(i, step, &facts, &result);
        step_result_free(&result);
        i->running--;
        i->end_ns = now_ns();
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* --- what is told ------------------------------------------------------------------- */

static double
seconds_of(const struct item *i)
{
    return (double)(i->end_ns - i->begin_ns) / 1e9;
}

static void
print_head(const struct terminal *t, const struct item *i)
{
    const int errors = i->result.findings.count;
    struct text32 a, b;

    terminal_print(t, errors == 0 && i->result.failure == NULL ? STYLE_GOOD : STYLE_BAD,
                   "%s", i->slug);
    if (errors > 0)
        terminal_print(t, STYLE_PLAIN, ": %s", format_plural(&a, errors, "error"));
    else if (i->result.failure == NULL)
        terminal_print(t, STYLE_PLAIN, ": no errors");
    if (i->result.failure != NULL)
        terminal_print(t, STYLE_PLAIN, ": the judge failed, not the problem: %s",
                       i->result.failure);
    if (i->facts.tests > 0)
        terminal_print(t, STYLE_DIM, " (%s, %s%s%s; %.1f s)",
                       format_plural(&a, i->facts.tests, "test"),
                       i->facts.has_c ? "reference.c" : "reference.cu",
                       has_both(i) ? " and .cu, " : ", ",
                       i->solution_count > 0
                           ? format_plural(&b, i->solution_count, "solution")
                           : "no solutions",
                       seconds_of(i));
    terminal_print(t, STYLE_PLAIN, "\n");
}

/* Prints a finding. A compiler's message goes on in further lines. */
static void
print_finding(const struct terminal *t, const struct item *i, const struct finding *f)
{
    const bool solution = strncmp(f->where, "solutions/", strlen("solutions/")) == 0;
    const char *line = f->sentence;

    terminal_print(t, STYLE_BOLD, "  %s%s%s", solution ? "" : i->slug,
                   solution ? "" : "/", f->where);
    terminal_print(t, STYLE_PLAIN, ": ");
    while (*line != '\0') {
        const size_t len = strcspn(line, "\n");

        terminal_print(t, STYLE_PLAIN, "%s%.*s\n", line == f->sentence ? "" : "    ",
                       (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static void
print_item(struct cli *cli, const struct item *i)
{
    const struct findings *f = &i->result.findings;
    struct terminal page;

    terminal_page_begin(&page, &cli->out);
    print_head(&page, i);
    if (i->facts.not_here != NULL)
        terminal_print(&page, STYLE_PLAIN, "  %s; its solutions were only compiled\n",
                       i->facts.not_here);
    for (int k = 0; i->result.filled && k < f->fill_count; k++)
        terminal_print(
            &page, STYLE_PLAIN,
            "  %s/statement.md:%d: the question mark is filled in with what the "
            "reference says\n",
            i->slug, f->fill[k].line);
    for (int k = 0; k < i->result.findings.count; k++)
        print_finding(&page, i, &i->result.findings.list[k]);
    if (f->uncalled)
        terminal_print(&page, STYLE_PLAIN,
                       "  nothing was run: mend problem.json first\n");
    terminal_page_end(&page, &cli->out);
    fflush(cli->out.file);
}

static cJSON *
item_json(const struct item *i)
{
    cJSON *o = cJSON_CreateObject(), *list;

    cJSON_AddStringToObject(o, "problem", i->slug);
    cJSON_AddBoolToObject(o, "ok",
                          i->result.findings.count == 0 && i->result.failure == NULL);
    cJSON_AddNumberToObject(o, "tests", i->facts.tests);
    cJSON_AddNumberToObject(o, "solutions", i->solution_count);
    cJSON_AddNumberToObject(o, "seconds", seconds_of(i));
    list = cJSON_AddArrayToObject(o, "errors");
    for (int k = 0; k < i->result.findings.count; k++) {
        cJSON *e = cJSON_CreateObject();

        cJSON_AddStringToObject(e, "where", i->result.findings.list[k].where);
        cJSON_AddStringToObject(e, "sentence", i->result.findings.list[k].sentence);
        cJSON_AddItemToArray(list, e);
    }
    if (i->facts.not_here != NULL)
        cJSON_AddStringToObject(o, "not_judged", i->facts.not_here);
    if (i->result.failure != NULL)
        cJSON_AddStringToObject(o, "judge_failure", i->result.failure);
    return o;
}

static void
print_json(struct cli *cli, const struct check *c, double seconds)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "problems");

    for (int k = 0; k < c->count; k++)
        cJSON_AddItemToArray(list, item_json(&c->item[k]));
    cJSON_AddNumberToObject(root, "seconds", seconds);
    cli_print_json(cli, root);
    cJSON_Delete(root);
}

/* --- the whole ---------------------------------------------------------------------- */

/* Prints the problems in their order, each when it is done, until all are or a signal
 * comes. */
static void
check_watch(struct cli *cli, struct check *c)
{
    const bool json = cli->args.flag[FLAG_JSON] != NULL;
    int printed = 0;

    pthread_mutex_lock(&c->lock);
    while (printed < c->count && !interrupted) {
        struct item *i = &c->item[printed];
        struct timespec soon;
        char *line;

        if (is_done(i)) {
            terminal_rewrite(&cli->err, "");
            if (!json)
                print_item(cli, i);
            printed++;
            continue;
        }
        line = xasprintf("checking %s (%d of %d)", i->slug, printed + 1, c->count);
        terminal_rewrite(&cli->err, line);
        free(line);
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_sec++; /* the wait is short, because a signal does not end it */
        pthread_cond_timedwait(&c->changed, &c->lock, &soon);
    }
    terminal_rewrite(&cli->err, "");
    c->stopping = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static int
run_threads(struct cli *cli, struct check *c, long jobs)
{
    pthread_t thread[JOBS_MAX];
    int started = 0;

    while (started < jobs && pthread_create(&thread[started], NULL, check_worker, c) == 0)
        started++;
    if (started == 0)
        return report_fail(&cli->report, "no thread can be started");
    check_watch(cli, c);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* Prints which problems lack a kind of solution: "without a wrong solution: a, b". That
 * is no error, but a catalogue should have one of each. */
static void
print_without(struct cli *cli, const struct check *c, const char *kind, bool accepted)
{
    const char *comma = "";

    for (int k = 0; k < c->count; k++) {
        const struct step_result *r = &c->item[k].result;

        if ((accepted ? r->accepted : r->refused) > 0)
            continue;
        if (comma[0] == '\0')
            terminal_print(&cli->out, STYLE_PLAIN, "without %s solution: ", kind);
        terminal_print(&cli->out, STYLE_PLAIN, "%s%s", comma, c->item[k].slug);
        comma = ", ";
    }
    if (comma[0] != '\0')
        terminal_print(&cli->out, STYLE_PLAIN, "\n");
}

static void
check_summarise(struct cli *cli, const struct check *c, double seconds)
{
    int errors = 0, broken = 0, failed = 0;
    struct text32 a, b;

    for (int k = 0; k < c->count; k++) {
        errors += c->item[k].result.findings.count;
        broken += c->item[k].result.findings.count > 0;
        failed += c->item[k].result.failure != NULL;
    }
    if (cli->args.flag[FLAG_JSON] != NULL)
        print_json(cli, c, seconds);
    if (cli->args.flag[FLAG_JSON] == NULL && c->count > 1) {
        print_without(cli, c, "an accepted", true);
        print_without(cli, c, "a wrong", false);
        terminal_print(&cli->out, STYLE_PLAIN, "%s in %.0f s\n",
                       format_plural(&a, c->count, "problem"), seconds);
    }
    if (errors > 0)
        report_fail(&cli->report, "%s in %d of %s", format_plural(&a, errors, "error"),
                    broken, format_plural(&b, c->count, "problem"));
    else if (failed > 0)
        report_fail(&cli->report, "the judge failed while it checked %s",
                    format_plural(&a, failed, "problem"));
}

static int
exit_status(const struct check *c)
{
    int status = EXIT_ACCEPTED;

    if (interrupted)
        return EXIT_BY_SIGNAL + interrupted;
    for (int k = 0; k < c->count; k++) {
        if (c->item[k].result.findings.count > 0)
            return EXIT_BAD_INPUT;
        if (c->item[k].result.failure != NULL)
            status = EXIT_JUDGE_FAILED;
    }
    return status;
}

static int
open_options(struct cli *cli, struct check_options *o)
{
    const char *tmp = getenv("TMPDIR");

    o->config = &cli->config;
    o->insecure = cli->args.flag[FLAG_INSECURE] != NULL;
    o->extent = cli->args.flag[FLAG_FAST] != NULL     ? CHECK_FAST
                : cli->args.flag[FLAG_SAMPLE] != NULL ? CHECK_SAMPLE
                                                      : CHECK_ALL;
    o->arch = job_run_arch(o->config, "emu", &cli->report);
    if (o->arch == NULL)
        return -1;
    o->solutions = xasprintf("%s/../solutions", o->config->problems);
    o->scratch = xasprintf("%s/warpjudge-check-XXXXXX",
                           tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
    if (mkdtemp(o->scratch) == NULL)
        return report_errno(&cli->report, "the folder %s cannot be made", o->scratch);
    return 0;
}

static void
close_check(struct check *c)
{
    for (int k = 0; k < c->count; k++) {
        for (int s = 0; s < c->item[k].solution_count; s++)
            free(c->item[k].solution[s]);
        free(c->item[k].solution);
        free(c->item[k].facts.not_here);
        step_result_free(&c->item[k].result);
    }
    if (c->options.scratch != NULL)
        file_remove_tree(c->options.scratch, NULL);
    free(c->options.scratch);
    free(c->options.solutions);
    free(c->options.arch);
    free(c->item);
}

int
check_problems(struct cli *cli, const char *const *slugs, int count, long jobs)
{
    const struct sigaction action = {.sa_handler = on_signal};
    struct check c = {.count = count,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER};
    const uint64_t begin = now_ns();
    int status = EXIT_JUDGE_FAILED;

    c.item = xcalloc((size_t)count + 1, sizeof *c.item);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (open_options(cli, &c.options) == 0) {
        for (int k = 0; k < count; k++) {
            c.item[k].slug = slugs[k];
            c.item[k].steps = 1;
            list_solutions(c.options.solutions, &c.item[k]);
        }
        if (run_threads(cli, &c, jobs < JOBS_MAX ? jobs : JOBS_MAX) == 0) {
            if (!interrupted)
                check_summarise(cli, &c, (double)(now_ns() - begin) / 1e9);
            status = exit_status(&c);
        }
    }
    close_check(&c);
    return status;
}
