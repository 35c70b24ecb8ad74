#include "daemon/web/assets.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/view.h"

#include <event2/http.h>
#include <stdio.h>
#include <string.h>

#define HASH_SHOWN 16
#define SCRIPT_TYPE "text/javascript; charset=utf-8"

#define EMBED(symbol, path)                                                              \
    __asm__(".pushsection .rodata\n" #symbol ":\n"                                       \
            ".incbin \"" path "\"\n" #symbol "_end:\n"                                   \
            ".byte 0\n"                                                                  \
            ".popsection\n");                                                            \
    extern const char symbol[], symbol##_end[]

EMBED(web_style, "judge/web/style.css");
EMBED(web_icon, "judge/web/icon.svg");

/* What npm's packages and our scripts are made into (mk/web.mk). Each script is embedded
 * as it is, and compressed. */
#ifdef WEB_SCRIPTS
EMBED(web_licences, "build/web/licences.txt");
EMBED(web_licences_gz, "build/web/licences.txt.gz");
#define SCRIPT(symbol, name)                                                             \
    EMBED(symbol, "build/web/scripts/" name);                                            \
    EMBED(symbol##_gz, "build/web/scripts/" name ".gz");
#include "scripts.inc"
#undef SCRIPT
#endif

static struct asset_file {
    const char *text, *type; /* NULL: there is none */
    const char *gz, *gz_end; /* compressed already; NULL: it is not */
    char full_name[64];
    struct buf packed; /* compressed, once somebody has taken it so */
} files[ASSET_COUNT] = {
    [ASSET_STYLE] = {.text = web_style},
    [ASSET_ICON] = {.text = web_icon},
#ifdef WEB_SCRIPTS
    [ASSET_LICENCES] =
        {web_licences, NULL, web_licences_gz, web_licences_gz_end, "", {0}},
#endif
};

/* Their names have a hash of what is in them already, because they refer to each other.
 */
static struct asset_file scripts[] = {
#ifdef WEB_SCRIPTS
#define SCRIPT(symbol, name)                                                             \
    {symbol, SCRIPT_TYPE, symbol##_gz, symbol##_gz_end, name, {0}},
#include "scripts.inc"
#undef SCRIPT
#endif
    {0}};

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

const char *
asset_page_script(void)
{
    static const char FIRST[] = "page-";

    for (const struct asset_file *f = scripts; f->text != NULL; f++)
        if (strncmp(f->full_name, FIRST, sizeof FIRST - 1) == 0)
            return f->full_name;
    return NULL;
}

/* Sends a file. What is compressed already is not compressed again. */
static void
asset_send(struct view *v, struct asset_file *f)
{
    if (f->gz != NULL && f->packed.len == 0)
        buf_add(&f->packed, f->gz, (size_t)(f->gz_end - f->gz));
    view_send_file(v, f->type, f->text, &f->packed);
}

void
page_asset(struct http_call *c)
{
    struct view *v = view_begin(c);

    for (int i = 0; i < ASSET_COUNT; i++) {
        const char *name = asset_name((enum asset)i);

        if (name != NULL && strcmp(v->call.arg[0], name) == 0) {
            asset_send(v, &files[i]);
            return;
        }
    }
    for (struct asset_file *f = scripts; f->text != NULL; f++)
        if (strcmp(v->call.arg[0], f->full_name) == 0) {
            asset_send(v, f);
            return;
        }
    view_refuse(v, 404, "There is no such file.");
}
