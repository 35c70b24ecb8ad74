/* A folder that stands for a machine's root, for tests of who looks in /proc, /dev and
 * /sys: made for each test anew. To be included after cmocka.h. */
#ifndef TESTS_MACHINE_ROOT_H
#define TESTS_MACHINE_ROOT_H

#include "core/buf.h"
#include "core/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[64];

static int
make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/warpjudge-root-XXXXXX");
    assert_non_null(mkdtemp(root));
    return 0;
}

static int
remove_root(void **state)
{
    struct report r = {0};

    (void)state;
    return file_remove_tree(root, &r);
}

/* A file below it, with its folders. */
static void
put(const char *path, const char *text)
{
    char *full = xasprintf("%s/%s", root, path);
    char *folder = xstrdup(full);
    struct report r = {0};

    *strrchr(folder, '/') = '\0';
    if (file_mkdirs(folder, &r) != 0 || file_write(full, text, strlen(text), &r) != 0)
        fail_msg("%s", r.text);
    free(folder);
    free(full);
}

#endif
