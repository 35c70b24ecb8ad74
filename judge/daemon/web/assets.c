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
            ".incbin \"" path "\"\n"                                                     \
            ".byte 0\n"                                                                  \
            ".popsection\n");                                                            \
    extern const char symbol[]

EMBED(web_style, "judge/web/style.css");
EMBED(web_icon, "judge/web/icon.svg");

static struct asset_file {
    const char *text, *type;
    char full_name[48];
    struct buf packed; /* compressed, once somebody has taken it so */
} files[ASSET_COUNT] = {
    [ASSET_STYLE] = {.text = web_style},
    [ASSET_ICON] = {.text = web_icon},
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
}

const char *
asset_name(enum asset asset)
{
    struct asset_file *f = &files[asset];

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

    for (int i = 0; i < ASSET_COUNT; i++)
        if (strcmp(v->call.arg[0], asset_name((enum asset)i)) == 0) {
            view_send_file(v, files[i].type, files[i].text, &files[i].packed);
            return;
        }
    view_refuse(v, 404, "There is no such file.");
}
