#include "daemon/web/assets.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/view.h"

#include <event2/http.h>
#include <stdio.h>
#include <string.h>

#define HASH_SHOWN 16

#define EMBED(symbol, path)                                                              \
    __asm__(".pushsection .rodata\n" #symbol ":\n"                                       \
            ".incbin \"" path "\"\n" #symbol "_end:\n"                                   \
            ".byte 0\n"                                                                  \
            ".popsection\n");                                                            \
    extern const char symbol[], symbol##_end[]

EMBED(web_style, "judge/web/style.css");
EMBED(web_icon, "judge/web/icon.svg");

/* What npm's packages and our scripts are made into (mk/web.mk). */
#ifdef WEB_SCRIPTS
EMBED(web_page, "build/web/page.js");
EMBED(web_page_gz, "build/web/page.js.gz");
EMBED(web_editor, "build/web/editor.js");
EMBED(web_editor_gz, "build/web/editor.js.gz");
EMBED(web_licences, "build/web/licences.txt");
EMBED(web_licences_gz, "build/web/licences.txt.gz");
#endif

static struct asset_file {
    const char *text, *type; /* NULL: there is none */
    const char *gz, *gz_end; /* compressed already; NULL: it is not */
    char full_name[48];
    struct buf packed; /* compressed, once somebody has taken it so */
} files[ASSET_COUNT] = {
    [ASSET_STYLE] = {.text = web_style},
    [ASSET_ICON] = {.text = web_icon},
#ifdef WEB_SCRIPTS
    [ASSET_PAGE] = {web_page, NULL, web_page_gz, web_page_gz_end, "", {0}},
    [ASSET_EDITOR] = {web_editor, NULL, web_editor_gz, web_editor_gz_end, "", {0}},
    [ASSET_LICENCES] =
        {web_licences, NULL, web_licences_gz, web_licences_gz_end, "", {0}},
#endif
};

static void
asset_describe(struct asset_file *f, const char *name, const char *ending,
               const char *type)
{
    char hash[65];

    hash_hex(f->text, strlen(f->text), hash);
    snprintf(f->full_name, sizeof f->full_name, "%s-%.*s.%s", name, HASH_SHOWN, hash,
             ending);
    f->type = type;
    if (f->gz != NULL)
        buf_add(&f->packed, f->gz, (size_t)(f->gz_end - f->gz));
}

const char *
asset_name(enum asset asset)
{
    struct asset_file *f = &files[asset];

    if (f->text == NULL)
        return NULL;
    if (f->full_name[0] == '\0') {
#define X(id, name, ending, type)                                                        \
    if (asset == ASSET_##id)                                                             \
        asset_describe(f, name, ending, type);
        ASSETS(X)
#undef X
    }
    return f->full_name;
}

void
page_asset(struct http_call *c)
{
    struct view *v = view_begin(c);

    for (int i = 0; i < ASSET_COUNT; i++) {
        const char *name = asset_name((enum asset)i);

        if (name != NULL && strcmp(v->call.arg[0], name) == 0) {
            view_send_file(v, files[i].type, files[i].text, &files[i].packed);
            return;
        }
    }
    view_refuse(v, 404, "There is no such file.");
}
