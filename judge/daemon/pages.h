/*
 * Pages of long lists. limit= says how many rows a page has at most. Where more follow,
 * the header Link names the next page (RFC 8288), with a cursor that only we understand.
 * It names the last row of the page before, so that no row is told twice, or left out,
 * while rows come meanwhile.
 */
#ifndef DAEMON_PAGES_H
#define DAEMON_PAGES_H

#include "daemon/http.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_MAX 1000
#define PAGE_ROWS 50 /* around a user, or of a number, without a limit */
#define PAGE_KEY_MAX 128

struct page {
    int64_t limit;
    bool follows;           /* it begins behind `key`; or else at the list's beginning */
    size_t len;             /* of the key */
    char key[PAGE_KEY_MAX]; /* of the last row before */
};

/* Reads limit= and cursor=. `list` is a letter for the list, whose cursors are no other
 * list's. Without a limit the page has `limit` rows. False after having answered. */
bool page_take(struct http_call *c, char list, int64_t limit, struct page *out);

/* A list of rows in an order, of which a page is asked for by page=, around=USER or
 * cursor=. Rows have numbers from 0. */
struct ordered_list {
    char letter;
    size_t count;
    int64_t limit; /* of a page without a limit, if none of the three is there */
    /* Sets the first row behind the one with a cursor's key. False where it is no key of
     * the list. */
    bool (*behind)(void *arg, const void *key, size_t len, size_t *row);
    /* Sets the row of a user. False after having answered. */
    bool (*row_of)(void *arg, struct http_call *c, const char *user, size_t *row);
    void *arg;
};

/* The rows of a page: from `first` to before `end`. */
struct page_rows {
    size_t first, end;
    bool follows; /* a cursor said so */
};

/* Reads which page is asked for. Around a user it has the user's row in its middle, or
 * nearer to an end of the list where it would not be full. Behind the last page there are
 * no rows. False after having answered. */
bool page_take_rows(struct http_call *c, const struct ordered_list *list,
                    struct page_rows *out);

/* Sets the number of the row behind which the page begins, in a list that goes from
 * higher to lower numbers; for its beginning INT64_MAX. False after having answered. */
bool page_number(struct http_call *c, const struct page *page, int64_t *before);

/* Answers a cursor whose key the list cannot read. */
void page_refuse(struct http_call *c);

/* Adds the header for the page behind this row, whose key has at most PAGE_KEY_MAX bytes.
 * The old paths have none. */
void page_add_next(struct http_call *c, char list, const void *key, size_t len);

#endif
