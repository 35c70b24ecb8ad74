/* Keeps the meanings of problems, and gives them to results of before. */
#include "daemon/meanings.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/specs.h"
#include "problem/meaning.h"
#include "problem/names.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILES_MOST 8

/* What a file was when it was read. */
struct seen_file {
    struct timespec modified;
    off_t bytes;
    ino_t inode; /* 0: it was not there */
};

struct kept_meaning {
    struct kept_meaning *next;
    char *slug;
    struct seen_file file[FILES_MOST];
    uint64_t looked_ns;          /* when the files were looked at last; CLOCK_MONOTONIC */
    char text[2][MEANING_BYTES]; /* by enum meaning_kind; "": it cannot be read */
};

/* A board that was begun anew, so often, and its meaning. */
struct begun_board {
    struct begun_board *next;
    char *slug, *board;
    int64_t number;
    char text[MEANING_BYTES];
};

struct meanings {
    char *dir;
    struct kept_meaning *first;
    struct begun_board *begun;
};

struct meanings *
meanings_new(const char *problems_dir)
{
    struct meanings *m = xcalloc(1, sizeof *m);

    m->dir = xstrdup(problems_dir);
    return m;
}

void
meanings_free(struct meanings *m)
{
    struct kept_meaning *next;

    if (m == NULL)
        return;
    for (struct kept_meaning *k = m->first; k != NULL; k = next) {
        next = k->next;
        free(k->slug);
        free(k);
    }
    for (struct begun_board *b = m->begun, *after; b != NULL; b = after) {
        after = b->next;
        free(b->slug);
        free(b->board);
        free(b);
    }
    free(m->dir);
    free(m);
}

static struct begun_board *
find_begun_board(const struct meanings *m, const char *slug, const char *board)
{
    struct begun_board *b = m->begun;

    while (b != NULL && (strcmp(b->slug, slug) != 0 || strcmp(b->board, board) != 0))
        b = b->next;
    return b;
}

static void
note_begun_board(void *arg, const char *slug, const char *board, int64_t number)
{
    struct meanings *m = arg;
    struct begun_board *b = find_begun_board(m, slug, board);

    if (b == NULL) {
        b = xcalloc(1, sizeof *b);
        *b = (struct begun_board){
            .next = m->begun, .slug = xstrdup(slug), .board = xstrdup(board)};
        m->begun = b;
    }
    b->number = number;
}

int
meanings_load(struct meanings *m, struct store *store, struct report *r)
{
    return store_begun_boards(store, note_begun_board, m, r);
}

int
meanings_begin_board(struct daemon *d, const char *slug, const char *board,
                     struct report *r)
{
    const struct begun_board *b = find_begun_board(d->meanings, slug, board);

    if (store_begin_board(d->store, slug, board, r) != 0)
        return -1;
    note_begun_board(d->meanings, slug, board, b != NULL ? b->number + 1 : 1);
    return 0;
}

static void
look_at_files(const struct meanings *m, const char *slug, struct seen_file *out)
{
    memset(out, 0, FILES_MOST * sizeof *out);
    for (int i = 0; i < FILES_MOST && meaning_files[i] != NULL; i++) {
        char *path = xasprintf("%s/%s/%s", m->dir, slug, meaning_files[i]);
        struct stat st;

        if (stat(path, &st) == 0)
            out[i] = (struct seen_file){st.st_mtim, st.st_size, st.st_ino};
        free(path);
    }
}

static bool
are_the_same(const struct seen_file *a, const struct seen_file *b)
{
    for (int i = 0; i < FILES_MOST; i++)
        if (a[i].inode != b[i].inode || a[i].bytes != b[i].bytes ||
            a[i].modified.tv_sec != b[i].modified.tv_sec ||
            a[i].modified.tv_nsec != b[i].modified.tv_nsec)
            return false;
    return true;
}

static struct kept_meaning *
meaning_kept(struct meanings *m, const char *slug)
{
    struct kept_meaning *k = m->first;

    while (k != NULL && strcmp(k->slug, slug) != 0)
        k = k->next;
    if (k == NULL) {
        k = xcalloc(1, sizeof *k);
        k->slug = xstrdup(slug);
        k->next = m->first;
        m->first = k;
    }
    return k;
}

/* What the files say, whatever an admin has begun anew. */
static const char *
meaning_of_files(struct meanings *m, const char *slug, enum meaning_kind kind,
                 uint64_t since_ns)
{
    struct seen_file now[FILES_MOST];
    struct kept_meaning *k;

    k = meaning_kept(m, slug);
    if (k->text[kind][0] != '\0' && k->looked_ns >= since_ns)
        return k->text[kind];
    k->looked_ns = now_ns();
    look_at_files(m, slug, now);
    if (k->text[kind][0] != '\0' && are_the_same(k->file, now))
        return k->text[kind];
    memcpy(k->file, now, sizeof now);
    for (int i = 0; i < 2; i++)
        if (meaning_read(m->dir, slug, (enum meaning_kind)i, k->text[i], NULL) != 0)
            k->text[i][0] = '\0';
    return k->text[kind];
}

const char *
meanings_get(struct meanings *m, const char *slug, const char *board)
{
    return meanings_get_since(m, slug, board, UINT64_MAX);
}

const char *
meanings_get_since(struct meanings *m, const char *slug, const char *board,
                   uint64_t since_ns)
{
    struct begun_board *b = find_begun_board(m, slug, board);
    const char *text;
    char *begun;

    if (!slug_is_valid(slug))
        return "";
    text = meaning_of_files(
        m, slug, strcmp(board, "emu") == 0 ? MEANING_EMU : MEANING_GPU, since_ns);
    if (b == NULL || text[0] == '\0')
        return text;
    begun = xasprintf("%s begun %lld", text, (long long)b->number);
    hash_hex(begun, strlen(begun), b->text);
    free(begun);
    return b->text;
}

/* --- results of before -------------------------------------------------- */

/* Adoptions, which own their texts. */
struct adoptions {
    struct daemon *daemon;
    struct adoption *row;
    size_t count;
};

static void
add_adoption(void *arg, const char *problem, const char *board)
{
    struct adoptions *list = arg;
    struct daemon *d = list->daemon;
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(d->specs, problem, &exists, &r);
    const char *meaning = meanings_get(d->meanings, problem, board);

    if (p == NULL || meaning[0] == '\0')
        return;
    list->row = xrealloc(list->row, (list->count + 1) * sizeof *list->row);
    list->row[list->count++] = (struct adoption){
        .board = {xstrdup(problem), xstrdup(board), xstrdup(meaning)},
        .sizes = problem_sizes_text(p, strcmp(board, "emu") == 0 ? &p->benchmark_emu
                                                                 : &p->benchmark_cuda)};
}

int
meanings_adopt(struct daemon *d, struct report *r)
{
    struct adoptions list = {.daemon = d};
    int rc;

    store_boards_of_before(d->store, add_adoption, &list);
    if (list.count == 0)
        return 0;
    rc = store_adopt(d->store, list.row, list.count, r);
    if (rc == 0)
        log_line("%zu boards: entries with today's sizes belong to the problems of today",
                 list.count);
    for (size_t i = 0; i < list.count; i++) {
        const struct adoption *a = &list.row[i];

        free((char *)(uintptr_t)a->board.problem);
        free((char *)(uintptr_t)a->board.device);
        free((char *)(uintptr_t)a->board.meaning);
        free((char *)(uintptr_t)a->sizes);
    }
    free(list.row);
    return rc;
}
