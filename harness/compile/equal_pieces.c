/* Numbers names, and makes a digest of pieces in any order. */
#include "compile/equal_pieces.h"

#include "base/file.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct name {
    struct slice text;
    size_t number;
};

bool
slice_is(const struct slice *s, const char *word)
{
    return strlen(word) == s->len && memcmp(s->at, word, s->len) == 0;
}

static int
name_compare(const void *a, const void *b)
{
    const struct slice *x = &((const struct name *)a)->text,
                       *y = &((const struct name *)b)->text;

    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return memcmp(x->at, y->at, x->len);
}

size_t
names_number(struct names *n, const struct slice *name)
{
    struct name wanted = {*name, n->count}, *added;
    void *found = tfind(&wanted, &n->tree, name_compare);

    if (found != NULL)
        return (*(struct name **)found)->number;
    added = xmalloc(sizeof *added);
    *added = wanted;
    if (tsearch(added, &n->tree, name_compare) == NULL)
        die(4, "out of memory");
    return n->count++;
}

void
names_free(struct names *n)
{
    tdestroy(n->tree, free);
    *n = (struct names){0};
}

void
pieces_add(struct pieces *p, const struct buf *text)
{
    if ((p->count & (p->count - 1)) == 0)
        p->hex = xrealloc(p->hex, (p->count > 0 ? 2 * p->count : 1) * sizeof *p->hex);
    hash_hex(buf_str(text), text->len, p->hex[p->count++]);
}

static int
hex_compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(char[65]));
}

void
pieces_digest(struct pieces *p, struct digest *out)
{
    if (p->count > 0)
        qsort(p->hex, p->count, sizeof *p->hex, hex_compare);
    hash_hex(p->count > 0 ? p->hex[0] : "", p->count * sizeof *p->hex, out->hex);
    free(p->hex);
    *p = (struct pieces){0};
}
