#include "daemon/web/layout.h"

#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/specs.h"
#include "daemon/web/assets.h"
#include "daemon/web/markdown.h"
#include "daemon/web/values.h"
#include "record/announcements.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    enum section section;
    const char *path, *words;
    enum need need; /* of whom it is shown to */
} SECTIONS[] = {
    {SECTION_PROBLEMS, "/problems", "Problems", NEED_NOTHING},
    {SECTION_SUBMISSIONS, "/submissions", "Submissions", NEED_NOTHING},
    {SECTION_STANDING, "/standings", "Standing", NEED_NOTHING},
    {SECTION_FEED, "/feed", "Feed", NEED_NOTHING},
    {SECTION_GROUPS, "/groups", "Groups", NEED_GROUP},
    {SECTION_STAFF, "/staff", "Staff", NEED_STAFF},
    {SECTION_ABOUT, "/about", "About", NEED_NOTHING},
};

/* Names who is signed in, and links to where one signs in or out. */
static void
layout_account(struct view *v)
{
    struct html *h = &v->page;
    const struct identity *who = &v->call.who;

    html(h, "<div class=\"account\">");
    if (who->name[0] != '\0' && who->session != 0) {
        html(h, "<a class=\"user\" href=\"/account\">%s</a>", who->name);
    } else if (who->name[0] != '\0') {
        html(h, "<a class=\"user\" href=\"/users/");
        html_url(h, who->name);
        html(h, "\">%s</a>", who->name);
    }
    if (who->session != 0) {
        html(h, "<form method=\"post\" action=\"/sign-out\">");
        view_form_token(v);
        html(h, "<button class=\"plain\">Sign out</button></form>");
    } else if (who->name[0] == '\0' &&
               v->call.daemon->policy.registration != REGISTRATION_OFF) {
        html(h, "<a href=\"/sign-in\">Sign in</a> <a href=\"/join\">Join</a>");
    } else if (who->name[0] == '\0') {
        html(h, "<span class=\"quiet\">guest</span>");
    }
    html(h, "</div>");
}

static void
layout_navigation(struct view *v, enum section section)
{
    struct html *h = &v->page;

    html(h, "<header class=\"top\"><a class=\"skip\" href=\"#main\">To the content</a>"
            "<a class=\"brand\" href=\"/\">warp<b>judge</b></a>"
            "<nav aria-label=\"Sections\"><ul>");
    for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++) {
        struct report r = {0};

        if (rights_check(&v->call.daemon->policy, &v->call.who, SECTIONS[i].need, &r) !=
            0)
            continue;
        html(h, "<li><a href=\"%s\"", SECTIONS[i].path);
        if (SECTIONS[i].section == section)
            html(h, " aria-current=\"true\"");
        html(h, ">%s</a></li>", SECTIONS[i].words);
    }
    html(h, "</ul></nav>");
    layout_account(v);
    html(h, "</header>");
}

int
layout_status(const struct view *v)
{
    return v->notice != NULL ? 400 : 200;
}

void
layout_begin_unscripted(struct view *v)
{
    if (asset_page_script() != NULL)
        html(&v->page, "<noscript>");
}

void
layout_end_unscripted(struct view *v)
{
    if (asset_page_script() != NULL)
        html(&v->page, "</noscript>");
}

/* Says what everybody is told. Where the store fails, the page is shown without it: what
 * the page asks of the store says so itself. */
static void
layout_announcements(struct view *v)
{
    struct html *h = &v->page;
    struct announcements list;
    struct report r = {0};

    if (store_announcements(v->call.daemon->store, &list, &r) != 0)
        return;
    for (size_t i = 0; i < list.count; i++) {
        html(h, "<p class=\"notice\"><bdi>%s</bdi> <span class=\"quiet\">",
             list.row[i].text);
        html_ago(h, (double)list.row[i].created_ms);
        html(h, "</span></p>");
    }
    announcements_free(&list);
}

void
layout_begin(struct view *v, const char *title, enum section section, int refresh_s)
{
    struct html *h = &v->page;

    html(h, "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            "<meta name=\"color-scheme\" content=\"light dark\">");
    if (refresh_s > 0) {
        layout_begin_unscripted(v);
        html(h, "<meta http-equiv=\"refresh\" content=\"%d\">", refresh_s);
        layout_end_unscripted(v);
    }
    html(h,
         "<title>%s \u00b7 warpjudge</title><link rel=\"stylesheet\" href=\"/assets/%s\">"
         "<link rel=\"icon\" href=\"/assets/%s\">",
         title, asset_name(ASSET_STYLE), asset_name(ASSET_ICON));
    if (asset_page_script() != NULL)
        html(h, "<script type=\"module\" nonce=\"%s\" src=\"/assets/%s\"></script>",
             v->nonce, asset_page_script());
    html(h, "</head><body>");
    layout_navigation(v, section);
    html(h, "<main id=\"main\">");
    layout_announcements(v);
    if (v->notice != NULL)
        html(h, "<p class=\"notice\" role=\"alert\">%s</p>", v->notice);
}

void
layout_end(struct view *v)
{
    struct html *h = &v->page;

    html(h,
         "</main><footer class=\"foot\"><p>warpjudge %s \u00b7 "
         "<a href=\"/about\">how this judge works</a> \u00b7 "
         "<a href=\"/api/v1/openapi.json\">API</a>",
         WARPJUDGE_VERSION);
    if (asset_name(ASSET_LICENCES) != NULL)
        html(h, " \u00b7 <a href=\"/assets/%s\">licences</a>",
             asset_name(ASSET_LICENCES));
    html(h, "</p></footer></body></html>\n");
}

void
layout_error(struct view *v, int status, const char *sentence)
{
    struct html *h = &v->page;
    const char *words = status == 401   ? "Sign in first"
                        : status == 403 ? "Not for you"
                        : status == 404 ? "Not found"
                        : status >= 500 ? "The judge failed"
                                        : "That did not work";

    layout_begin(v, words, SECTION_NONE, 0);
    html(h, "<h1>%s</h1><p class=\"lead\">%s</p>", words, sentence);
    if (status == 401 && v->call.daemon->policy.registration != REGISTRATION_OFF)
        html(h, "<p><a class=\"button\" href=\"/sign-in\">Sign in</a></p>");
    html(h, "<p><a href=\"/problems\">All problems</a></p>");
    layout_end(v);
}

void
layout_pages(struct view *v, const struct html *path, long long page, bool more)
{
    struct html *h = &v->page;

    if (page <= 1 && !more)
        return;
    html(h, "<nav class=\"pages\" aria-label=\"Pages\">");
    if (page > 1) {
        html(h, "<a rel=\"prev\" href=\"");
        html_join(h, path);
        html(h, "page=%lld\">\u2190 Before</a>", page - 1);
    }
    html(h, "<span class=\"quiet\">Page %lld</span>", page);
    if (more) {
        html(h, "<a rel=\"next\" href=\"");
        html_join(h, path);
        html(h, "page=%lld\">After \u2192</a>", page + 1);
    }
    html(h, "</nav>");
}

void
layout_statement(struct view *v, const char *markdown)
{
    struct markup m = markdown_statement(markdown);

    html_markup(&v->page, &m);
    free(m.html);
}

const char *
layout_title(const struct view *v, const char *slug)
{
    const struct daemon *d = v->call.daemon;
    const struct problem *p = NULL;
    struct report r = {0};
    bool exists, hides;

    if (hiding_hides(d->hiding, &v->call.who, slug, &hides, &r) == 0 && !hides)
        p = specs_get(d->specs, slug, &exists, &r);
    return p != NULL && p->title != NULL ? p->title : slug;
}
