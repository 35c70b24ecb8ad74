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

/* Answers a cursor whose key the list cannot read. */
void page_refuse(struct http_call *c);

/* Adds the header for the page behind this row. The old paths have none. */
void page_add_next(struct http_call *c, char list, const void *key, size_t len);

#endif
