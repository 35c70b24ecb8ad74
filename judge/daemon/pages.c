/* Reads and makes cursors: the list's letter and the row's key, in hexadecimal digits. */
#include "daemon/pages.h"

#include "base/buf.h"
#include "base/hex.h"
#include "daemon/request.h"

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_NUMBER_MAX 1000000000

static const char DIGITS[] = "0123456789abcdef";

void
page_refuse(struct http_call *c)
{
    reply_problem(
        c, ERROR_INVALID_PARAMETER, "?cursor",
        "this cursor is none of this list's: the header Link of a page has that "
        "of the next one");
}

/* Reads "73..." for the list 's'. */
static bool
cursor_read(const char *text, char list, struct page *out)
{
    char bytes[PAGE_KEY_MAX + 1] = {0};
    const size_t digits = strlen(text);

    if (digits < 4 || digits % 2 != 0 || digits / 2 > sizeof bytes ||
        strspn(text, DIGITS) != digits)
        return false;
    for (size_t i = 0; i < digits / 2; i++)
        bytes[i] = (char)((strchr(DIGITS, text[2 * i]) - DIGITS) * 16 +
                          (strchr(DIGITS, text[2 * i + 1]) - DIGITS));
    out->follows = true;
    out->len = digits / 2 - 1;
    memcpy(out->key, bytes + 1, out->len);
    return bytes[0] == list;
}

bool
page_take(struct http_call *c, char list, int64_t limit, struct page *out)
{
    const char *asked = call_query(c, "limit"), *cursor = call_query(c, "cursor");

    *out = (struct page){.limit = limit};
    if (asked != NULL && !request_number(asked, 1, PAGE_MAX, &out->limit)) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?limit",
                      "limit is \"%.40s\": it must be a number from 1 to %d", asked,
                      PAGE_MAX);
        return false;
    }
    if (cursor != NULL && c->v1 && !cursor_read(cursor, list, out)) {
        page_refuse(c);
        return false;
    }
    return true;
}

/* --- pages of an ordered list ------------------------------------------- */

static bool
take_behind(struct http_call *c, const struct ordered_list *list, const struct page *page,
            size_t *first)
{
    if (list->behind(list->arg, page->key, page->len, first))
        return true;
    page_refuse(c);
    return false;
}

static bool
take_around(struct http_call *c, const struct ordered_list *list, const char *user,
            const struct page *page, size_t *first)
{
    const size_t limit = (size_t)page->limit;
    size_t at, last;

    if (!list->row_of(list->arg, c, user, &at))
        return false;
    last = list->count > limit ? list->count - limit : 0;
    *first = at > limit / 2 ? at - limit / 2 : 0;
    *first = *first < last ? *first : last;
    return true;
}

static bool
take_number(struct http_call *c, const struct ordered_list *list, const char *text,
            const struct page *page, size_t *first)
{
    const int64_t count = (int64_t)list->count;
    int64_t number, row;

    if (!request_number(text, 1, PAGE_NUMBER_MAX, &number)) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?page",
                      "page is \"%.40s\": it must be a number from 1 to %d", text,
                      PAGE_NUMBER_MAX);
        return false;
    }
    row = (number - 1) * page->limit;
    *first = (size_t)(row < count ? row : count);
    return true;
}

bool
page_take_rows(struct http_call *c, const struct ordered_list *list,
               struct page_rows *out)
{
    const char *around = call_query(c, "around"), *number = call_query(c, "page");
    const bool part = around != NULL || number != NULL;
    struct page_rows rows = {0};
    struct page page;
    bool taken = true;

    if (!page_take(c, list->letter, part ? PAGE_ROWS : list->limit, &page))
        return false;
    if ((around != NULL) + (number != NULL) + page.follows > 1) {
        reply_problem(c, ERROR_INVALID_PARAMETER, around != NULL ? "?around" : "?page",
                      "around, page and cursor each say which page it is: give one");
        return false;
    }
    if (page.follows)
        taken = take_behind(c, list, &page, &rows.first);
    else if (around != NULL)
        taken = take_around(c, list, around, &page, &rows.first);
    else if (number != NULL)
        taken = take_number(c, list, number, &page, &rows.first);
    if (!taken)
        return false;
    rows.follows = page.follows;
    rows.end = page.limit < (int64_t)(list->count - rows.first)
                   ? rows.first + (size_t)page.limit
                   : list->count;
    *out = rows;
    return true;
}

/* --- the next page ------------------------------------------------------ */

/* Does the parameter say where a page begins? The cursor of the next page takes its
 * place. */
static bool
is_of_one_page(const char *key)
{
    return strcmp(key, "cursor") == 0 || strcmp(key, "around") == 0 ||
           strcmp(key, "page") == 0;
}

bool
page_number(struct http_call *c, const struct page *page, int64_t *before)
{
    char text[PAGE_KEY_MAX + 1] = "";

    *before = INT64_MAX;
    if (!page->follows)
        return true;
    memcpy(text, page->key, page->len);
    if (request_number(text, 1, INT64_MAX, before))
        return true;
    page_refuse(c);
    return false;
}

static void
add_query(struct buf *link, const struct evkeyvalq *query)
{
    const struct evkeyval *item;

    for (item = query->tqh_first; item != NULL; item = item->next.tqe_next) {
        char *value;

        if (is_of_one_page(item->key) || item->value[0] == '\0')
            continue;
        value = evhttp_uriencode(item->value, -1, 0);
        if (value == NULL)
            die(4, "out of memory");
        buf_printf(link, "%s=%s&", item->key, value);
        free(value);
    }
}

void
page_add_next(struct http_call *c, char list, const void *key, size_t len)
{
    char digits[2 * PAGE_KEY_MAX + 1];
    struct buf link = {0};

    if (!c->v1)
        return;
    buf_printf(&link, "<%s?", evhttp_uri_get_path(evhttp_request_get_evhttp_uri(c->req)));
    add_query(&link, c->query);
    hex_write(digits, key, len);
    buf_printf(&link, "cursor=%02x%s>; rel=\"next\"", (unsigned char)list, digits);
    evhttp_add_header(evhttp_request_get_output_headers(c->req), "Link", buf_str(&link));
    buf_free(&link);
}
