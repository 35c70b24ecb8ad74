/* Finds nvcc and its toolkit's folder; where a path does not say enough, nvcc is
 * asked. */
#include "base/toolkit.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/program.h"

#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *
toolkit_nvcc(void)
{
    const char *said = getenv("WARPJUDGE_NVCC");
    const char *path = getenv("PATH");
    char *copy, *save = NULL;

    if (said != NULL && said[0] != '\0')
        return access(said, X_OK) == 0 ? xstrdup(said) : NULL;
    copy = xstrdup(path != NULL ? path : "");
    for (char *dir = strtok_r(copy, ":", &save); dir != NULL;
         dir = strtok_r(NULL, ":", &save)) {
        char *file = xasprintf("%s/nvcc", dir);

        if (access(file, X_OK) == 0) {
            free(copy);
            return file;
        }
        free(file);
    }
    free(copy);
    if (access("/usr/local/cuda/bin/nvcc", X_OK) == 0)
        return xstrdup("/usr/local/cuda/bin/nvcc");
    return NULL;
}

/* Is this the folder of a toolkit? The real nvcc reads nvcc.profile from beside its own
 * program, so that file is there. */
static bool
is_toolkit(const char *root)
{
    char *profile = xasprintf("%s/bin/nvcc.profile", root);
    bool is = access(profile, R_OK) == 0;

    free(profile);
    return is;
}

char *
toolkit_root(const char *nvcc)
{
    static const char top[] = "#$ TOP=";
    char *real = realpath(nvcc, NULL);
    char *root = xasprintf("%s/..", real != NULL ? dirname(real) : ".");
    char *found = realpath(root, NULL);
    const char *dry[] = {nvcc, "--dryrun", "-E", "-x", "cu", "/dev/null", NULL};
    struct buf said = {0};

    free(real);
    free(root);
    if (found != NULL && is_toolkit(found))
        return found;
    free(found);
    found = NULL;
    if (program_output(dry, &said) >= 0) {
        char *line;

        buf_add(&said, "", 1);
        line = strstr((char *)said.data, top);
        if (line != NULL) {
            line += sizeof top - 1;
            line[strcspn(line, "\n")] = '\0';
            found = realpath(line, NULL);
        }
    }
    buf_free(&said);
    if (found != NULL && !is_toolkit(found)) {
        free(found);
        found = NULL;
    }
    return found;
}

char *
toolkit_libraries(const char *cuda_root)
{
    char *folder = xasprintf("%s/lib64", cuda_root), *real = realpath(folder, NULL);
    char *libc = real != NULL ? xasprintf("%s/libc.so.6", real) : NULL;

    if (libc != NULL && access(libc, F_OK) == 0) {
        free(real);
        real = NULL;
    }
    free(libc);
    free(folder);
    return real;
}

char *
toolkit_version(const char *cuda_root)
{
    static const char name[] = "#define CUDART_VERSION";
    char *path = xasprintf("%s/include/cuda_runtime_api.h", cuda_root), line[256];
    FILE *file = fopen(path, "re");
    long version = 0;

    while (file != NULL && version == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, sizeof name - 1) == 0)
            version = strtol(line + sizeof name - 1, NULL, 10);
    if (file != NULL)
        fclose(file);
    free(path);
    return version > 0 && version < 1000000
               ? xasprintf("%ld.%ld", version / 1000, version % 1000 / 10)
               : NULL;
}

void
config_find_toolkit(struct config *c)
{
    c->nvcc = toolkit_nvcc();
    if (c->nvcc != NULL)
        c->cuda_root = toolkit_root(c->nvcc);
    if (c->cuda_root != NULL)
        c->toolkit = toolkit_version(c->cuda_root);
}
