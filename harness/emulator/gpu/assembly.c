#include "assembly.h"

#include <limits.h>
#include <sha256.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)256 << 20)

struct assembly {
    char *text;       /* the file, whose lines are cut into strings */
    const char *hash; /* in text */
    struct assembled *list;
    size_t count;
};

static char *
read_whole(int fd)
{
    struct stat st;
    size_t size, have = 0;
    char *text;

    if (fstat(fd, &st) != 0 || st.st_size < 0 || (size_t)st.st_size > FILE_BYTES_MAX)
        return NULL;
    size = (size_t)st.st_size;
    text = malloc(size + 1);
    while (text != NULL && have < size) {
        ssize_t n = pread(fd, text + have, size - have, (off_t)have);

        if (n <= 0) {
            free(text);
            return NULL;
        }
        have += (size_t)n;
    }
    if (text != NULL)
        text[have] = '\0';
    return text;
}

/* Reads " NUMBER" at *at, and moves on behind it. */
static bool
read_number(const char **at, unsigned *out)
{
    const char *begin = *at;
    char *end;
    unsigned long n;

    if (begin[0] != ' ' || begin[1] < '0' || begin[1] > '9')
        return false;
    n = strtoul(begin + 1, &end, 10);
    *out = (unsigned)n;
    *at = end;
    return n <= UINT_MAX;
}

/* "NAME REGISTERS STACK SHARED"; cuts the name off. */
static int
read_kernel(char *line, struct assembled *out)
{
    char *name_end = strchr(line, ' ');
    const char *at = name_end;

    if (name_end == NULL || !read_number(&at, &out->registers) ||
        !read_number(&at, &out->stack) || !read_number(&at, &out->shared) || *at != '\0')
        return -1;
    *name_end = '\0';
    out->name = line;
    return 0;
}

static int
add_kernel(struct assembly *a, char *line)
{
    if ((a->count & (a->count - 1)) == 0) {
        size_t max = a->count != 0 ? 2 * a->count : 1;
        struct assembled *grown = reallocarray(a->list, max, sizeof *grown);

        if (grown == NULL)
            return -1;
        a->list = grown;
    }
    if (read_kernel(line, &a->list[a->count]) != 0)
        return -1;
    a->count++;
    return 0;
}

static int
read_lines(struct assembly *a)
{
    char *rest = a->text, *line = strsep(&rest, "\n");

    if (strcmp(line, "warpjudge-assembly 1") != 0 || rest == NULL)
        return -1;
    line = strsep(&rest, "\n");
    if (strncmp(line, "image ", 6) != 0 || rest == NULL)
        return -1;
    a->hash = line + 6;
    while ((line = strsep(&rest, "\n")) != NULL)
        if (*line != '\0' && add_kernel(a, line) != 0)
            return -1;
    return 0;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct assembled *)a)->name,
                  ((const struct assembled *)b)->name);
}

struct assembly *
assembly_read(int fd)
{
    struct assembly *a = calloc(1, sizeof *a);

    if (a == NULL)
        return NULL;
    a->text = read_whole(fd);
    if (a->text == NULL || read_lines(a) != 0) {
        assembly_free(a);
        return NULL;
    }
    if (a->count > 1)
        qsort(a->list, a->count, sizeof *a->list, by_name);
    return a;
}

void
assembly_free(struct assembly *a)
{
    if (a == NULL)
        return;
    free(a->text);
    free(a->list);
    free(a);
}

void
assembly_hash(const void *image, size_t len, char out[ASSEMBLY_HASH])
{
    SHA256Data(image, len, out);
}

void
assembly_apply(const struct assembly *a, const char *hash, struct module *mod)
{
    if (a != NULL && strcmp(hash, a->hash) == 0)
        module_assembled(mod, a->list, a->count);
}
