/*
 * Lengths as the variant says, and tables that deal out the pool's pages in random order;
 * -1 where a sequence has no page.
 */
#include <string.h>

static int
length(struct draws *draws, const char *variant, int b, int B, int page_size,
       int max_pages)
{
    const int most = max_pages * page_size;

    if (strcmp(variant, "whole pages") == 0)
        return page_size * (int)draw_integer(draws, 1, max_pages);
    if (strncmp(variant, "one token", 9) == 0)
        return 1 + page_size * (int)draw_integer(draws, 1, max_pages - 1);
    if (strcmp(variant, "shared beginning") == 0)
        return (int)draw_integer(draws, 2 * page_size + 1, most);
    if (strcmp(variant, "from 1 up") == 0)
        return 1 + (int)((long)(most - 1) * b / (B - 1));
    if (strcmp(variant, "long") == 0)
        return (int)draw_integer(draws, most - most / 4, most);
    return (int)draw_integer(draws, 1, most);
}

static void
shuffle(struct draws *draws, int *pages, int count)
{
    for (int i = 0; i < count; i++)
        pages[i] = i;
    for (int i = 0; i < count; i++) {
        int other = (int)draw_integer(draws, i, count - 1), page = pages[other];

        pages[other] = pages[i];
        pages[i] = page;
    }
}

/* Behind the last token of a sequence's last page: large numbers, which nobody may use.
 */
static void
make_stale(__half *pool, int page, int from, int page_size, long width)
{
    for (long i = from * width; i < page_size * width; i++)
        pool[page * page_size * width + i] = (__half)60000;
}

void
inputs(struct draws *draws, const char *variant, __half *q, __half *k_pages,
       __half *v_pages, int *block_table, int *seq_lens, int B, int Hq, int Hkv, int D,
       int num_pages, int page_size, int max_pages)
{
    const int shared = strcmp(variant, "shared beginning") == 0 ? 2 : 0;
    int *pages = malloc((size_t)num_pages * sizeof *pages), next = shared;

    (void)q;
    (void)Hq;
    if (!pages)
        abort();
    shuffle(draws, pages, num_pages);
    for (int b = 0; b < B; b++) {
        int *table = block_table + (long)b * max_pages, used;

        seq_lens[b] = length(draws, variant, b, B, page_size, max_pages);
        used = (seq_lens[b] + page_size - 1) / page_size;
        for (int p = 0; p < max_pages; p++)
            table[p] = p >= used ? -1 : p < shared ? pages[p] : pages[next++];
        if (strstr(variant, "stale") != NULL) {
            make_stale(k_pages, table[used - 1], seq_lens[b] - (used - 1) * page_size,
                       page_size, (long)Hkv * D);
            make_stale(v_pages, table[used - 1], seq_lens[b] - (used - 1) * page_size,
                       page_size, (long)Hkv * D);
        }
    }
    free(pages);
}
