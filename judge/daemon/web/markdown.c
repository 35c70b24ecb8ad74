#include "daemon/web/markdown.h"

#include "base/buf.h"
#include "base/report.h"

#include <cmark.h>
#include <stdbool.h>
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

/* --- TeX ---------------------------------------------------------------- */

#define TEX_MARK "$$"

/* Is it an indented block of code, which stands as it is? */
static bool
line_is_code(const char *line)
{
    return line[0] == '\t' || strncmp(line, "    ", 4) == 0;
}

/* Does the line begin or end a fenced block of code? */
static bool
line_is_fence(const char *line, size_t len)
{
    const size_t blanks = strspn(line, " ");

    return len >= blanks + 3 && (strncmp(line + blanks, "```", 3) == 0 ||
                                 strncmp(line + blanks, "~~~", 3) == 0);
}

/* Makes code of each $$...$$ of a line, so that nothing in it is taken for Markdown. What
 * has a backtick before it, or in it, stays. */
static void
tex_line(struct buf *out, const char *line, size_t len)
{
    const char *end = line + len, *at = line, *first, *last;

    while ((first = memmem(at, (size_t)(end - at), TEX_MARK, 2)) != NULL &&
           (last = memmem(first + 2, (size_t)(end - first - 2), TEX_MARK, 2)) != NULL &&
           memchr(line, '`', (size_t)(last - line)) == NULL) {
        buf_add(out, at, (size_t)(first - at));
        buf_puts(out, "`");
        buf_add(out, first, (size_t)(last + 2 - first));
        buf_puts(out, "`");
        at = last + 2;
    }
    buf_add(out, at, (size_t)(end - at));
}

/* Marks TeX: $$...$$ in a line, and lines between two that have $$ alone. The caller
 * frees. */
static char *
tex_mark(const char *text)
{
    bool fenced = false, display = false;
    struct buf out = {0};

    for (size_t len; *text != '\0'; text += len) {
        const size_t line = strcspn(text, "\n");

        len = line + (text[line] == '\n');
        if (line == 2 && strncmp(text, TEX_MARK, 2) == 0 && !fenced) {
            display = !display;
            buf_puts(&out, display ? "```tex\n" : "```\n");
            continue;
        }
        fenced = fenced != (line_is_fence(text, line) && !display);
        if (fenced || display || line_is_code(text))
            buf_add(&out, text, len);
        else
            tex_line(&out, text, len);
    }
    return buf_take(&out);
}

/* --- what cmark has made ------------------------------------------------ */

/* Lets the keyboard reach blocks that may be wider than a narrow screen, and names code
 * that is TeX. What stands in the text as such is escaped, so that these are the
 * library's own tags. */
static char *
markdown_finish(const char *html)
{
    static const char PRE[] = "<pre>", TEX[] = "<code>" TEX_MARK,
                      END[] = TEX_MARK "</code>";
    struct buf out = {0};
    bool tex = false;

    while (*html != '\0') {
        if (strncmp(html, PRE, sizeof PRE - 1) == 0) {
            buf_puts(&out, "<pre tabindex=\"0\">");
            html += sizeof PRE - 1;
        } else if (strncmp(html, TEX, sizeof TEX - 1) == 0) {
            buf_puts(&out, "<code class=\"tex\">");
            html += sizeof TEX - 1;
            tex = true;
        } else if (tex && strncmp(html, END, sizeof END - 1) == 0) {
            html += 2;
            tex = false;
        } else {
            buf_add(&out, html++, 1);
        }
    }
    return buf_take(&out);
}

struct markup
markdown_statement(const char *text)
{
    char *marked = tex_mark(text);
    cmark_node *document = cmark_parse_document(
        marked, strlen(marked), CMARK_OPT_DEFAULT | CMARK_OPT_VALIDATE_UTF8);
    cmark_node *first;
    struct markup m = {0};
    char *html;

    free(marked);
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
    m.html = markdown_finish(html);
    free(html);
    return m;
}
