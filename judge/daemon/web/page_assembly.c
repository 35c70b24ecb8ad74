/* What a submission is compiled to, PTX or machine code, beside its source by line. */
#include "daemon/api.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of longer code a page shows the beginning. */
#define BYTES_SHOWN "131072"

enum { PART_SUBMISSION };

/* --- a function --------------------------------------------------------- */

static void
assembly_figure(struct html *h, const cJSON *function, const char *key, const char *name,
                bool bytes)
{
    const double value = value_number(function, key);

    if (isnan(value))
        return;
    html(h, "<div><dt>%s</dt><dd>", name);
    if (bytes)
        html_bytes(h, value);
    else
        html(h, "%.0f", value);
    html(h, "</dd></div>");
}

static void
assembly_figures(struct html *h, const cJSON *function)
{
    if (isnan(value_number(function, "registers")))
        return;
    html(h, "<dl class=\"facts\">");
    assembly_figure(h, function, "registers", "Registers of a thread", false);
    assembly_figure(h, function, "shared_bytes", "Shared memory of a block", true);
    assembly_figure(h, function, "stack_bytes", "Stack of a thread", true);
    assembly_figure(h, function, "spill_store_bytes", "Spilled, stores", true);
    assembly_figure(h, function, "spill_load_bytes", "Spilled, loads", true);
    html(h, "</dl>");
}

/* How many of the warps an SM holds that it can hold, by the size of a block. */
static void
assembly_occupancy(struct html *h, const cJSON *function)
{
    const cJSON *list = value_at(function, "occupancy"), *item;

    if (cJSON_GetArraySize(list) == 0)
        return;
    html(h, "<details><summary>Occupancy</summary><div class=\"scroll\">"
            "<table class=\"sides\"><thead><tr>"
            "<th scope=\"col\" class=\"number\">Threads of a block</th>"
            "<th scope=\"col\" class=\"number\">Blocks of an SM</th>"
            "<th scope=\"col\" class=\"number\">Occupancy</th>"
            "<th scope=\"col\">Set by</th></tr></thead><tbody>");
    cJSON_ArrayForEach(item, list)
    {
        html(h,
             "<tr><td class=\"number\">%lld</td><td class=\"number\">%lld</td>"
             "<td class=\"number\">",
             value_whole(item, "threads"), value_whole(item, "blocks"));
        html_share(h, value_number(item, "share"));
        html(h, "</td><td>%s</td></tr>",
             value_is_text(item, "limit", "shared_memory") ? "shared memory"
                                                           : value_text(item, "limit"));
    }
    html(h, "</tbody></table></div></details>");
}

/* --- its code ----------------------------------------------------------- */

/* Writes a row: some instructions that follow each other and stem from one line. */
static void
assembly_piece(struct html *h, const cJSON *piece)
{
    const long long line = value_whole(piece, "line");
    const char *between = "";
    const cJSON *item;

    html(h, "<tr><td class=\"no\">");
    if (line > 0)
        html(h, "%lld", line);
    html(h, "</td><td class=\"code\"><code>%s</code>",
         value_text(piece, value_at(piece, "file") != NULL ? "file" : "source"));
    html(h, "</td><td class=\"code\"><code>");
    cJSON_ArrayForEach(item, value_at(piece, "text"))
    {
        html(h, "%s%s", between, cJSON_IsString(item) ? item->valuestring : "");
        between = "\n";
    }
    html(h, "</code></td></tr>");
}

static void
assembly_function(struct html *h, const cJSON *function, int number)
{
    const cJSON *piece;

    html(h, "<section aria-labelledby=\"f%d\"><h2 id=\"f%d\"><code>%s</code>%s</h2>",
         number, number, value_text(function, "name"),
         value_is_true(function, "kernel") ? "" : ", which is no kernel");
    assembly_figures(h, function);
    assembly_occupancy(h, function);
    html(h,
         "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Code of %s\">"
         "<table class=\"source assembly\"><thead class=\"away\"><tr>"
         "<th scope=\"col\">Line</th><th scope=\"col\">Source</th>"
         "<th scope=\"col\">Instructions</th></tr></thead><tbody>",
         value_text(function, "name"));
    cJSON_ArrayForEach(piece, value_at(function, "code")) assembly_piece(h, piece);
    html(h, "</tbody></table></div></section>");
}

/* --- the page ----------------------------------------------------------- */

static void
assembly_tabs(struct view *v, bool sass)
{
    static const struct {
        const char *form, *name;
    } FORMS[] = {{"ptx", "PTX"}, {"sass", "SASS"}};
    struct html *h = &v->page;

    html(h, "<nav class=\"tabs\" aria-label=\"Forms\">");
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        html(h, "<a href=\"/submissions/");
        html_url(h, v->call.arg[0]);
        html(h, "/assembly?form=%s\"%s>%s</a>", FORMS[i].form,
             (i == 1) == sass ? " aria-current=\"page\"" : "", FORMS[i].name);
    }
    html(h, "</nav>");
}

static void
assembly_listing(struct view *v)
{
    const cJSON *functions = value_at(v->answer, "functions"), *function;
    struct html *h = &v->page;
    int number = 0;

    html(h,
         "<p class=\"quiet\">Compiled for %s. The rows are in the order of the "
         "instructions; each has the line that it stems from.</p>",
         value_text(v->answer, "arch"));
    cJSON_ArrayForEach(function, functions) assembly_function(h, function, ++number);
    if (number == 0)
        html(h, "<p>There is no code for a GPU in it.</p>");
    if (value_is_true(v->answer, "truncated"))
        html(h,
             "<p class=\"quiet\">The rest is not shown here. <code>warpjudge asm %s"
             "</code> prints 1 MiB of it.</p>",
             v->call.arg[0]);
}

static void
assembly_show(struct view *v)
{
    const cJSON *sub = v->part[PART_SUBMISSION];
    const char *form = call_query(&v->call, "form");
    struct html *h = &v->page;
    char title[80];

    snprintf(title, sizeof title, "Code of submission %lld", value_whole(sub, "id"));
    layout_begin(v, title, SECTION_SUBMISSIONS, 0);
    html(h,
         "<header class=\"head\"><h1>%s</h1><p class=\"quiet\">"
         "<a href=\"/submissions/%lld\">Its page</a>, ",
         title, value_whole(sub, "id"));
    html_problem_link(h, value_text(sub, "problem"),
                      layout_title(v, value_text(sub, "problem")));
    html(h, ", %s, on %s</p></header>", value_text(sub, "filename"),
         value_text(sub, "device"));
    assembly_tabs(v, form != NULL && strcmp(form, "sass") == 0);
    if (v->status != 200)
        html(h, "<p class=\"notice\">There is no listing: %s.</p>", view_sentence(v));
    else if (value_is_true(v->answer, "compiles"))
        assembly_listing(v);
    else
        html(h, "<p>It does not compile.</p><pre class=\"message\">%s</pre>",
             value_text(v->answer, "message"));
    layout_end(v);
    view_send(v, v->status);
}

static void
assembly_take_submission(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_SUBMISSION] = v->answer;
    view_set_arg(v, 0, v->call.arg[0]);
    view_set_query(v, "form", call_query(&v->call, "form"));
    view_set_query(v, "bytes", BYTES_SHOWN);
    view_ask(v, api_assembly, assembly_show);
}

void
page_assembly(struct http_call *c)
{
    struct view *v = view_begin(c);

    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_submission, assembly_take_submission);
}
