// links: compile sandbox common folder
/* The folder of links to the toolkit's headers, which compiles beside each other share.
 */
#include "../fixtures/folder.h"
#include "compile/headers.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADERS 100
#define COMPILES 8
#define ROUNDS 25

/* Where compiles wait for each other: a read ends when the last writer has gone. */
struct gate {
    int end[2]; /* to read, to write */
};

static void
gate_make(struct gate *g)
{
    assert_int_equal(pipe(g->end), 0);
}

/* For one who waits; he holds no end to write. */
static void
gate_wait(const struct gate *g)
{
    char none;

    while (read(g->end[0], &none, 1) > 0)
        continue;
}

static void
toolkit_make(void)
{
    char name[64];

    for (int i = 0; i < HEADERS; i++) {
        snprintf(name, sizeof name, "toolkit/include/header_%d.h", i);
        folder_write(name, "");
    }
    folder_write("toolkit/include/cccl/cub/cub.cuh", "");
}

/* How many links are in a folder that was opened before; -1: none can be read. */
static int
links_in(int fd)
{
    DIR *d = fdopendir(fd);
    const struct dirent *e;
    int count = 0;

    if (d == NULL)
        return -1;
    while ((e = readdir(d)) != NULL)
        count += strncmp(e->d_name, "header_", 7) == 0;
    closedir(d);
    return count;
}

/* One compile: it opens the folder as soon as it is told of it, as a sandbox does that
 * mounts it. It looks for the headers when all others have the folder, too. Returns the
 * status to leave with. */
static int
compile_beside_others(const struct target *t, const char *cache, const struct gate *start,
                      struct gate *opened)
{
    char *path;
    int fd, status = 0;

    close(start->end[1]);
    gate_wait(start);
    path = headers_shared(t, cache);
    fd = path != NULL ? open(path, O_RDONLY | O_DIRECTORY) : -1;
    free(path);
    close(opened->end[1]);
    gate_wait(opened);
    if (fd < 0)
        status = 1;
    else if (links_in(fd) != HEADERS)
        status = 2;
    return status;
}

/* Without a lock the second of two compiles replaced the folder of the first, and that
 * one's submission was told that cuda_runtime.h is not there. */
static void
compiles_at_once_keep_their_headers(void **state)
{
    char *root = folder_path("toolkit");
    struct config config = {.cuda_root = root};
    const struct target t = {.config = &config, .kind = PROGRAM_EMU};

    (void)state;
    toolkit_make();
    for (int round = 0; round < ROUNDS; round++) {
        char name[32], *cache;
        struct gate start, opened;
        pid_t compile[COMPILES];
        int status;

        snprintf(name, sizeof name, "cache-%d", round);
        cache = folder_path(name);
        gate_make(&start);
        gate_make(&opened);
        for (int i = 0; i < COMPILES; i++) {
            compile[i] = fork();
            assert_true(compile[i] >= 0);
            if (compile[i] == 0)
                _exit(compile_beside_others(&t, cache, &start, &opened));
        }
        close(start.end[1]);
        close(opened.end[1]);
        for (int i = 0; i < COMPILES; i++) {
            assert_int_equal(waitpid(compile[i], &status, 0), compile[i]);
            if (status != 0)
                fail_msg("round %d, compile %d: %s", round, i,
                         WEXITSTATUS(status) == 1 ? "it was given no folder"
                                                  : "its headers were taken away");
        }
        close(start.end[0]);
        close(opened.end[0]);
        free(cache);
    }
    free(root);
}

/* A damaged folder is made anew. */
static void
missing_links_come_back(void **state)
{
    char *root = folder_path("toolkit"), *cache = folder_path("cache"), *path, *link;
    struct config config = {.cuda_root = root};
    const struct target t = {.config = &config, .kind = PROGRAM_EMU};

    (void)state;
    toolkit_make();
    path = headers_shared(&t, cache);
    assert_non_null(path);
    link = xasprintf("%s/header_7.h", path);
    assert_int_equal(unlink(link), 0);
    free(path);
    path = headers_shared(&t, cache);
    assert_non_null(path);
    assert_int_equal(access(link, F_OK), 0);
    free(link);
    free(path);
    free(cache);
    free(root);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(compiles_at_once_keep_their_headers, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(missing_links_come_back, folder_make,
                                        folder_remove),
    };

    cmocka_set_test_filter(getenv("UNIT_TEST"));
    return cmocka_run_group_tests_name("headers", tests, NULL, NULL);
}
