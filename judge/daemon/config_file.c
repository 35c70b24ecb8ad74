/* Reads the config file with libinih, which splits the lines. */
#include "daemon/config_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"
#include "problem/names.h"

#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIG_BYTES_MAX ((size_t)65536)

static const struct {
    const char *name;
    bool takes_value;
} KEYS[SERVE_COUNT] = {
#define X(name, text, letter, value, about) [SERVE_##name] = {text, (value) != NULL},
    SERVE_OPTIONS(X)
#undef X
};

/* What is read of one file. libinih asks for one line after the other. */
struct reading {
    const char *path, *rest;
    int line;
    struct config_file file;
    int first_line[SERVE_COUNT]; /* also of a "no"; 0: not there */
    struct report report;
};

static void __attribute__((format(printf, 2, 3)))
reading_fail(struct reading *g, const char *format, ...)
{
    char text[512];
    va_list ap;

    if (report_is_set(&g->report))
        return;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    report_fail(&g->report, "%s:%d: %s", g->path, g->line, text);
}

/* Takes the line that begins a section. */
static void
reading_section(struct reading *g)
{
    char *line = xasprintf("%.*s", (int)strcspn(g->rest, "\n"), g->rest);
    struct report r = {0};

    if (slurm_settings_section(&g->file.slurm, line, g->line, &r) != 0)
        reading_fail(g, "%s", r.text);
    free(line);
}

/* Gives libinih the next line, as fgets does. What libinih would take for something else
 * than a person means is refused here: it cuts long lines, and appends lines that begin
 * with a space to the one before. */
static char *
reading_line(char *out, int size, void *stream)
{
    struct reading *g = stream;
    const size_t len = strcspn(g->rest, "\n");
    const size_t blank = strspn(g->rest, " \t\r");

    if (g->rest[0] == '\0' || report_is_set(&g->report))
        return NULL;
    g->line++;
    if (len + 2 > (size_t)size)
        reading_fail(g, "the line has more than %d bytes", size - 2);
    else if (blank > 0 && blank < len && strchr("#;", g->rest[blank]) == NULL)
        reading_fail(g, "a line must not begin with a space");
    else if (g->rest[0] == '[')
        reading_section(g);
    if (report_is_set(&g->report))
        return NULL;
    memcpy(out, g->rest, len);
    out[len] = '\0';
    g->rest += len + (g->rest[len] == '\n');
    return out;
}

/* Finds a key's option. SERVE_COUNT and a report where there is none. */
static int
reading_option(struct reading *g, const char *key)
{
    const char *names[SERVE_COUNT], *meant;

    for (int i = 0; i < SERVE_COUNT; i++) {
        if (strcmp(key, KEYS[i].name) == 0)
            return i;
        names[i] = KEYS[i].name;
    }
    meant = nearest_name(key, names, SERVE_COUNT);
    if (meant != NULL)
        reading_fail(g, "there is no key %s: did you mean %s?", key, meant);
    else
        reading_fail(g,
                     "there is no key %s: the keys are the options of `warpjudge "
                     "serve --help`",
                     key);
    return SERVE_COUNT;
}

static int
reading_key(void *arg, const char *section, const char *key, const char *value)
{
    struct reading *g = arg;
    struct report r = {0};
    int option;

    (void)section;
    if (g->file.slurm.line > 0) {
        if (slurm_settings_take(&g->file.slurm, key, value, g->line, &r) != 0)
            reading_fail(g, "%s", r.text);
        return !report_is_set(&g->report);
    }
    option = reading_option(g, key);
    if (option == SERVE_COUNT)
        return 0;
    if (g->first_line[option] > 0) {
        reading_fail(g, "%s stands in line %d already", key, g->first_line[option]);
        return 0;
    }
    g->first_line[option] = g->line;
    if (!KEYS[option].takes_value && strcmp(value, "yes") != 0 &&
        strcmp(value, "no") != 0)
        reading_fail(g, "%s = %s: it must be yes or no", key, value);
    else if (KEYS[option].takes_value && value[0] == '\0')
        reading_fail(g, "%s has no value", key);
    else if (KEYS[option].takes_value)
        g->file.value[option] = xstrdup(value);
    else if (value[0] == 'y')
        g->file.value[option] = xstrdup("");
    g->file.line[option] = g->line;
    return !report_is_set(&g->report);
}

/* Others must not be able to change how submissions are confined. */
static int
config_check_mode(const char *path, struct report *r)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return report_errno(r, "the config file %s cannot be read", path);
    if ((st.st_mode & S_IWOTH) != 0)
        return report_fail(r, "everybody may write the config file %s: chmod o-w %s",
                           path, path);
    return 0;
}

int
config_file_read(const char *path, struct config_file *out, struct report *r)
{
    struct buf text = {0};
    struct reading g = {.path = path};
    struct report why = {0};
    int rc = config_check_mode(path, r), wrong;

    if (rc == 0)
        rc = file_read(path, CONFIG_BYTES_MAX, &text, r);
    if (rc == 0 && (memchr(buf_str(&text), '\0', text.len) != NULL ||
                    utf8_prefix(buf_str(&text), text.len) != text.len))
        rc = report_fail(r, "the config file %s is no text in UTF-8", path);
    if (rc == 0) {
        g.rest = buf_str(&text);
        wrong = ini_parse_stream(reading_line, &g, reading_key, &g);
        if (wrong > 0) {
            g.line = wrong;
            reading_fail(&g, "it must be KEY = VALUE");
        }
        if (!report_is_set(&g.report) &&
            slurm_settings_complete(&g.file.slurm, &g.line, &why) != 0)
            reading_fail(&g, "%s", why.text);
        if (report_is_set(&g.report))
            rc = report_fail(r, "%s", g.report.text);
    }
    buf_free(&text);
    if (rc == 0)
        *out = g.file;
    else
        config_file_free(&g.file);
    return rc;
}

void
config_file_free(struct config_file *f)
{
    for (int i = 0; i < SERVE_COUNT; i++)
        free(f->value[i]);
    slurm_settings_free(&f->slurm);
    *f = (struct config_file){0};
}
