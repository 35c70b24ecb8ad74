#include "daemon/web/markdown.h"

#include "base/buf.h"
#include "base/report.h"

#include <cmark.h>
#include <stdlib.h>
#include <string.h>

/* Images of a statement would be asked for elsewhere: their text takes their place. */
static void
markdown_drop_images(cmark_node *document)
{
    cmark_iter *iter = cmark_iter_new(document);
    cmark_event_type event;

    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter), *child;

        if (event != CMARK_EVENT_EXIT || cmark_node_get_type(node) != CMARK_NODE_IMAGE)
            continue;
        while ((child = cmark_node_first_child(node)) != NULL)
            cmark_node_insert_before(node, child);
        cmark_node_free(node);
    }
    cmark_iter_free(iter);
}

/* Lets the keyboard reach blocks that may be wider than a narrow screen. What stands in
 * the text as such is escaped, so that these are the library's own tags. */
static char *
markdown_reachable(const char *html)
{
    static const char PRE[] = "<pre>";
    struct buf out = {0};
    const char *next;

    for (; (next = strstr(html, PRE)) != NULL; html = next + strlen(PRE)) {
        buf_add(&out, html, (size_t)(next - html));
        buf_puts(&out, "<pre tabindex=\"0\">");
    }
    buf_puts(&out, html);
    return buf_take(&out);
}

struct markup
markdown_statement(const char *text)
{
    cmark_node *document = cmark_parse_document(
        text, strlen(text), CMARK_OPT_DEFAULT | CMARK_OPT_VALIDATE_UTF8);
    cmark_node *first;
    struct markup m = {0};
    char *html;

    if (document == NULL)
        die(4, "out of memory");
    first = cmark_node_first_child(document);
    if (first != NULL && cmark_node_get_type(first) == CMARK_NODE_HEADING &&
        cmark_node_get_heading_level(first) == 1)
        cmark_node_free(first);
    for (first = cmark_node_first_child(document); first != NULL;
         first = cmark_node_next(first))
        if (cmark_node_get_type(first) == CMARK_NODE_HEADING &&
            cmark_node_get_heading_level(first) == 1)
            cmark_node_set_heading_level(first, 2);
    markdown_drop_images(document);
    html = cmark_render_html(document, CMARK_OPT_DEFAULT);
    cmark_node_free(document);
    if (html == NULL)
        die(4, "out of memory");
    m.html = markdown_reachable(html);
    free(html);
    return m;
}
