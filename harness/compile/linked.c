#include "compile/linked.h"

#include "base/buf.h"
#include "base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define GXX "/usr/bin/g++"
#define OURS_BYTES_MAX ((size_t)64 << 20)

/* Adds the C library's name and version, as in "glibc 2.36". */
static int
add_c_library(struct buf *all, struct report *r)
{
    char name[100] = "";

#ifdef _CS_GNU_LIBC_VERSION
    if (confstr(_CS_GNU_LIBC_VERSION, name, sizeof name) > sizeof name)
        name[0] = '\0';
#endif
    if (name[0] == '\0')
        return report_fail(r, "the C library does not say its version");
    buf_printf(all, "%s\n", name);
    return 0;
}

int
compile_linked_with(const struct config *c, char out[LINKED_BYTES], struct report *r)
{
    static const char *const OURS[] = {"guest.o", "guest.map", "libcudart_emu.a"};
    char compiler[PATH_MAX], hash[LINKED_BYTES];
    struct buf all = {0}, bytes = {0};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof OURS / sizeof *OURS; i++) {
        char *path = xasprintf("%s/%s", c->lib, OURS[i]);

        buf_clear(&bytes);
        rc = file_read(path, OURS_BYTES_MAX, &bytes, r);
        hash_hex(buf_str(&bytes), bytes.len, hash);
        buf_printf(&all, "%s %s\n", OURS[i], hash);
        free(path);
    }
    /* A distribution names the file that g++ leads to by its version, as in g++-12. */
    if (realpath(GXX, compiler) == NULL)
        compiler[0] = '\0';
    if (rc == 0)
        rc = add_c_library(&all, r);
    buf_printf(&all, "%s\n", compiler);
    if (rc == 0)
        hash_hex(buf_str(&all), all.len, out);
    buf_free(&all);
    buf_free(&bytes);
    return rc;
}
