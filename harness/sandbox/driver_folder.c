/*
 * Finds the folder of the NVIDIA driver's user-space libraries. They belong to the
 * machine and neither to us nor to the CUDA Toolkit. Each way of installing them has a
 * folder of its own: /usr/lib/... (packages), /usr/local/nvidia/lib64 (images of
 * clusters), or one that ld.so.conf names.
 */
#include "sandbox/driver_folder.h"

#include "base/buf.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBCUDA "libcuda.so.1"
#define LD_CACHE "/etc/ld.so.cache"
#define LD_CACHE_BYTES_MAX ((size_t)16 << 20)

static char *
folder_with_libcuda(const char *folder, size_t len)
{
    char *file = xasprintf("%.*s/" LIBCUDA, (int)len, folder);
    bool there = access(file, R_OK) == 0;

    free(file);
    return there ? strndup(folder, len) : NULL;
}

static char *
from_library_path(void)
{
    const char *path = getenv("LD_LIBRARY_PATH");

    while (path != NULL && *path != '\0') {
        size_t len = strcspn(path, ":");
        char *found = *path == '/' ? folder_with_libcuda(path, len) : NULL;

        if (found != NULL)
            return found;
        path += len;
        if (*path == ':')
            path++;
    }
    return NULL;
}

/* The cache's string table holds absolute paths, each after a NUL (glibc,
 * sysdeps/generic/dl-cache.h). We read the cache as text, so that changes of its headers
 * do not matter. */
static char *
from_ld_cache(void)
{
    static const char wanted[] = "/" LIBCUDA; /* includes its NUL */
    struct buf cache = {0};
    struct report ignored = {0}; /* without a cache we look elsewhere */
    char *found = NULL;

    if (file_read(LD_CACHE, LD_CACHE_BYTES_MAX, &cache, &ignored) == 0) {
        const char *at = cache.data, *end = cache.data + cache.len;

        while (found == NULL && at != NULL && at < end) {
            const char *start;

            at = memmem(at, (size_t)(end - at), wanted, sizeof wanted);
            if (at == NULL)
                break;
            for (start = at; start > cache.data && start[-1] != '\0';)
                start--;
            if (*start == '/')
                found = folder_with_libcuda(start, (size_t)(at - start));
            at += sizeof wanted;
        }
    }
    buf_free(&cache);
    return found;
}

char *
driver_folder(void)
{
    static const char *const places[] = {
        "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib",     "/usr/lib",   "/run/opengl-driver/lib",
    };
    char *found = from_library_path();

    if (found != NULL || (found = from_ld_cache()) != NULL)
        return found;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        found = folder_with_libcuda(places[i], strlen(places[i]));
        if (found != NULL)
            break;
    }
    return found;
}
