/*
 * What is asked of a board of very many entries, and what a result on it costs.
 *
 * usage: board FOLDER [ENTRIES]
 *
 * Makes two databases in FOLDER, unless they are there from a run before. One has
 * intervals as they are measured. The other has points, so that each entry leads a group.
 * Prints the median, the 99th percentile and the longest of each question, in CPU time
 * and in wall time. Results are recorded in turn with transactions of one row on the same
 * disk.
 */
#include "base/buf.h"
#include "base/file.h"
#include "record/rank.h"
#include "record/ranking.h"
#include "record/replace.h"
#include "record/store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE 50
#define ASKED 10000   /* times each question is asked */
#define RECORDED 1000 /* results */
#define REPLACED 50   /* results of a preview */

static const struct board BOARD = {"vector-addition", "NVIDIA H200", "m1"};

static void
must(int rc, const struct report *r)
{
    if (rc != 0)
        die(4, "%s", r->text);
}

/* --- drawing ------------------------------------------------------------ */

static uint64_t
draw(void)
{
    static uint64_t x = 88172645463325252u; /* G. Marsaglia, "Xorshift RNGs" (2003) */

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

static double
draw_unit(void)
{
    return (double)(draw() >> 11) * 0x1p-53;
}

/* A time from 2 us to 6 ms, most of them about 100 us, with its interval or a point. */
static struct measured
draw_time(bool point)
{
    const double sum = draw_unit() + draw_unit() + draw_unit() + draw_unit();
    const double time_ns = 1e5 * exp(2 * (sum - 2));

    if (point)
        return (struct measured){time_ns, time_ns, time_ns};
    return (struct measured){time_ns, time_ns * (1 - 0.002 * draw_unit()),
                             time_ns * (1 + 0.002 * draw_unit())};
}

/* --- the database ------------------------------------------------------- */

static sqlite3_stmt *
prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;

    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        die(4, "%s", sqlite3_errmsg(db));
    return st;
}

static void
execute(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        die(4, "%s", sqlite3_errmsg(db));
}

static sqlite3 *
open_database(const char *path)
{
    sqlite3 *db;

    if (sqlite3_open(path, &db) != SQLITE_OK)
        die(4, "%s: %s", path, sqlite3_errmsg(db));
    return db;
}

/* Gives each of `count` users an accepted submission and an entry. */
static void
fill(const char *path, int64_t count, bool point)
{
    sqlite3 *db = open_database(path);
    sqlite3_stmt *user, *submission;

    execute(db, "PRAGMA synchronous = OFF; BEGIN;"
                "INSERT INTO sources (sha256, text) VALUES ('x', 'int x;')");
    user = prepare(db, "INSERT INTO users (id, name, created_ms)"
                       " VALUES (?1, 'user' || ?1, 1)");
    submission = prepare(
        db, "INSERT INTO submissions (id, user_id, problem, device, board, filename,"
            " source, sample_only, created_ms, done, verdict, message, finished_ms,"
            " time_ns, low_ns, high_ns, q1_ns, q3_ns, sizes, meaning)"
            " VALUES (?1, ?1, 'vector-addition', 'cuda:0', 'NVIDIA H200', 'k.cu', 'x', 0,"
            " ?1, 1, 'accepted', '', ?1, ?2, ?3, ?4, ?3, ?4, 'N=1000000', 'm1')");
    for (int64_t i = 1; i <= count; i++) {
        const struct measured m = draw_time(point);

        sqlite3_bind_int64(user, 1, i);
        sqlite3_bind_int64(submission, 1, i);
        sqlite3_bind_double(submission, 2, m.time_ns);
        sqlite3_bind_double(submission, 3, m.low_ns);
        sqlite3_bind_double(submission, 4, m.high_ns);
        if (sqlite3_step(user) != SQLITE_DONE || sqlite3_step(submission) != SQLITE_DONE)
            die(4, "%s", sqlite3_errmsg(db));
        sqlite3_reset(user);
        sqlite3_reset(submission);
    }
    sqlite3_finalize(user);
    sqlite3_finalize(submission);
    execute(db, "INSERT INTO entries (problem, board, meaning, user_id, submission_id,"
                " time_ns, low_ns, high_ns) SELECT problem, board, meaning, user_id, id,"
                " time_ns, low_ns, high_ns FROM submissions; COMMIT;"
                "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_close(db);
}

/* --- measuring ---------------------------------------------------------- */

/* How long something took each time, in nanoseconds. */
struct times {
    double *cpu, *wall;
    int count;
    uint64_t cpu_begin, wall_begin;
};

static uint64_t
cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct times
times_new(int most)
{
    return (struct times){.cpu = xcalloc((size_t)most, sizeof(double)),
                          .wall = xcalloc((size_t)most, sizeof(double))};
}

static void
times_begin(struct times *t)
{
    t->wall_begin = now_ns();
    t->cpu_begin = cpu_ns();
}

static void
times_end(struct times *t)
{
    t->cpu[t->count] = (double)(cpu_ns() - t->cpu_begin);
    t->wall[t->count++] = (double)(now_ns() - t->wall_begin);
}

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Prints median, 99th percentile and longest in milliseconds, and frees the times. */
static void
times_print(struct times *t, const char *what)
{
    const size_t last = (size_t)t->count - 1, slow = (size_t)t->count * 99 / 100;

    qsort(t->cpu, last + 1, sizeof *t->cpu, compare_doubles);
    qsort(t->wall, last + 1, sizeof *t->wall, compare_doubles);
    printf("  %-44s %9.4f %9.4f %9.4f   %9.4f %9.4f %9.4f\n", what,
           t->cpu[last / 2] / 1e6, t->cpu[slow] / 1e6, t->cpu[last] / 1e6,
           t->wall[last / 2] / 1e6, t->wall[slow] / 1e6, t->wall[last] / 1e6);
    fflush(stdout);
    free(t->cpu);
    free(t->wall);
}

/* --- what is asked ------------------------------------------------------ */

/* A board that is asked about, and whether its times are points. */
struct asked {
    struct store *store;
    int64_t entries;
    bool point;
    char user[32]; /* somebody on it, another one each time */
};

static void
ask_place(struct asked *a)
{
    const struct measured time = draw_time(a->point);
    struct report r = {0};
    struct place place;
    double own_ns;

    must(store_place(a->store, &BOARD, a->user, &time, &place, &own_ns, &r), &r);
    if (place.faster + place.ties + place.slower != a->entries - 1)
        die(4, "a place does not count every other entry");
}

static void
ask_page(struct asked *a)
{
    struct ranking *g = store_ranking(a->store, &BOARD);
    struct entries page;
    struct report r = {0};
    struct ranked own;
    bool found;
    size_t first;

    must(store_entry_of(a->store, &BOARD, a->user, &found, &own, &r), &r);
    first = found ? ranking_behind(g, &own) - 1 : 0;
    first = first > PAGE / 2 ? first - PAGE / 2 : 0;
    must(store_entries(a->store, g, first, PAGE, &page, &r), &r);
    for (size_t i = 0; i < page.count; i++) {
        const struct place place = ranking_place_of(g, first + i);

        if (place_rank(&place) > (int64_t)(first + i) + 1)
            die(4, "an entry ranks behind its number");
    }
    entries_free(&page);
    ranking_release(g);
}

static void
ask_histogram(struct asked *a)
{
    struct ranking *g = store_ranking(a->store, &BOARD);
    struct bucket bucket[HISTOGRAM_BUCKETS_MAX];
    const int buckets = ranking_histogram(g, bucket);
    int64_t count = 0;

    for (int i = 0; i < buckets; i++)
        count += bucket[i].count;
    if (count != a->entries)
        die(4, "the histogram does not count every entry");
    ranking_release(g);
}

static void
measure_question(struct asked *a, const char *what, void (*ask)(struct asked *a))
{
    struct times t = times_new(ASKED);

    for (int i = 0; i < ASKED; i++) {
        snprintf(a->user, sizeof a->user, "user%lld",
                 (long long)(draw() % (uint64_t)a->entries + 1));
        times_begin(&t);
        ask(a);
        times_end(&t);
    }
    times_print(&t, what);
}

static int64_t
submit(struct asked *a)
{
    struct new_submission n = {.user = a->user,
                               .problem = BOARD.problem,
                               .device = "cuda:0",
                               .board = BOARD.device,
                               .filename = "k.cu",
                               .source = "int y;"};
    struct report r = {0};
    int64_t id;

    snprintf(a->user, sizeof a->user, "user%lld",
             (long long)(draw() % (uint64_t)a->entries + 1));
    must(store_submit(a->store, &n, &id, &r), &r);
    return id;
}

/* Records a result that is its user's best: twice as fast as a time that is drawn. */
static void
record(struct asked *a, int64_t id)
{
    static char sizes[] = "N=1000000", message[] = "";
    const struct measured m = draw_time(a->point);
    struct result result = {.verdict = VERDICT_ACCEPTED,
                            .message = message,
                            .timing = {.present = true,
                                       .median_ns = m.time_ns / 2,
                                       .q1_ns = m.low_ns / 2,
                                       .q3_ns = m.high_ns / 2,
                                       .low_ns = m.low_ns / 2,
                                       .high_ns = m.high_ns / 2,
                                       .sizes = sizes}};
    const struct finished_submission f = {.result = &result, .meaning = BOARD.meaning};
    struct report r = {0};

    must(store_record(a->store, id, &f, &r), &r);
}

/* Records results, each of another user, while nobody or somebody reads the board; in
 * turn with transactions of one row. */
static void
measure_recording(struct asked *a, sqlite3 *other, const char *what, bool held)
{
    sqlite3_stmt *row = prepare(other, "INSERT INTO t VALUES (1)");
    struct times commits = times_new(RECORDED), results = times_new(RECORDED);

    for (int i = 0; i < RECORDED; i++) {
        const int64_t id = submit(a);
        struct ranking *reader = held ? store_ranking(a->store, &BOARD) : NULL;

        times_begin(&commits);
        sqlite3_step(row);
        sqlite3_reset(row);
        times_end(&commits);
        times_begin(&results);
        record(a, id);
        times_end(&results);
        ranking_release(reader);
    }
    sqlite3_finalize(row);
    times_print(&results, what);
    times_print(&commits, "  an empty commit in turn with these");
}

/* Says what it would change if some users had the slowest times, step by step. */
static void
measure_preview(struct asked *a)
{
    static char sizes[] = "N=1000000", message[] = "";
    struct result result = {.verdict = VERDICT_ACCEPTED,
                            .message = message,
                            .timing = {.present = true,
                                       .median_ns = 1e9,
                                       .low_ns = 1e9,
                                       .high_ns = 1e9,
                                       .sizes = sizes}};
    struct times t = times_new((int)(a->entries / 1000) + 1000);
    struct replacement list[REPLACED];
    struct replace_preview *p;
    struct rank_changes changes;
    struct report r = {0};
    bool more = true;

    for (int i = 0; i < REPLACED; i++)
        list[i] = (struct replacement){.id = i + 1,
                                       .finished = {.result = &result, .meaning = "m1"}};
    p = store_preview_new(a->store, list, REPLACED);
    while (more) {
        times_begin(&t);
        must(store_preview_step(p, &more, &r), &r);
        times_end(&t);
    }
    store_preview_take(p, &changes);
    if (changes.boards != 1 || changes.board[0].changes < REPLACED)
        die(4, "a preview has not found what changes");
    printf("  a preview of %d results: %d steps, %zu ranks change\n", REPLACED, t.count,
           changes.board[0].changes);
    times_print(&t, "a step of a preview");
    rank_changes_free(&changes);
    store_preview_free(p);
}

static int64_t
file_size(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : 0;
}

static void
measure_start(const char *path, int64_t size)
{
    struct times t = times_new(5);
    struct report r = {0};

    for (int i = 0; i < 5; i++) {
        struct store *s;
        struct store_opening how = {0};

        times_begin(&t);
        must(store_open_to_serve(path, &s, &how, &r), &r);
        times_end(&t);
        store_close(s);
    }
    printf("  the database has %lld MB\n", (long long)(size / 1000000));
    times_print(&t, "opening it with its rankings");
}

static void
measure(const char *folder, int64_t entries, bool point)
{
    char *path = xasprintf("%s/%s.db", folder, point ? "points" : "intervals");
    char *beside = xasprintf("%s/empty-%d.db", folder, point);
    struct asked a = {.entries = entries, .point = point};
    struct report r = {0};
    struct ranking *g;
    sqlite3 *other;
    int64_t groups = 0;

    if (access(path, F_OK) != 0) {
        must(store_open(path, &a.store, &r), &r);
        store_close(a.store);
        fill(path, entries, point);
    }
    must(store_open(path, &a.store, &r), &r);
    g = store_ranking(a.store, &BOARD);
    for (size_t i = 0; i < ranking_count(g); groups++) {
        const struct place place = ranking_place_of(g, i);

        i += (size_t)place.ties + 1;
    }
    ranking_release(g);
    printf("%lld entries, %s, %lld groups: CPU time and wall time in ms, each median, "
           "p99, longest\n",
           (long long)entries, point ? "points" : "intervals", (long long)groups);
    store_close(a.store);
    measure_start(path, file_size(path));
    must(store_open(path, &a.store, &r), &r);
    measure_question(&a, "rank, percentile and ties of a time", ask_place);
    measure_question(&a, "page of 50 around a user", ask_page);
    measure_question(&a, "histogram", ask_histogram);
    measure_preview(&a);
    other = open_database(beside);
    execute(other, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "CREATE TABLE IF NOT EXISTS t (n INTEGER)");
    measure_recording(&a, other, "recording a result", false);
    measure_recording(&a, other, "the same while the board is read", true);
    sqlite3_close(other);
    store_close(a.store);
    free(beside);
    free(path);
}

int
main(int argc, char **argv)
{
    const int64_t entries = argc > 2 ? atoll(argv[2]) : 1000000;

    if (argc < 2 || entries < 1)
        die(2, "usage: board FOLDER [ENTRIES]");
    measure(argv[1], entries, false);
    measure(argv[1], entries, true);
    return 0;
}
