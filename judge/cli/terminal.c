/* Styles, and the line that is rewritten. */
#include "cli/terminal.h"

#include "base/buf.h"
#include "base/report.h"
#include "base/utf8.h"
#include "cli/text.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_UNKNOWN 80
#define WIDTH_LEAST 20
#define CELL_COLUMN_MAX 32 /* what is broken off a line begins no further right */

static int
find_width(int fd)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long width = 0;

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        width = size.ws_col;
    } else if (columns != NULL) {
        char *end;

        width = strtol(columns, &end, 10);
        if (*end != '\0' || width > 10000)
            width = 0;
    }
    return width >= WIDTH_LEAST ? (int)width : WIDTH_UNKNOWN;
}

void
terminal_open(struct terminal *t, FILE *file)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    bool dumb = term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0;

    t->file = file;
    t->cut = isatty(fileno(file));
    t->live = t->cut && !dumb;
    t->colour = t->live && (no_color == NULL || no_color[0] == '\0');
    t->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    t->width = find_width(fileno(file));
}

/* The codes of ECMA-48, section 8.3.117 (SGR). They are of the sixteen colours that every
 * theme makes readable. */
static const char *
style_code(enum style style)
{
    switch (style) {
    case STYLE_BOLD:
        return "\033[1m";
    case STYLE_DIM:
        return "\033[2m";
    case STYLE_GOOD:
        return "\033[1;32m";
    case STYLE_BAD:
        return "\033[1;31m";
    case STYLE_WARN:
        return "\033[1;33m";
    case STYLE_PLAIN:
        break;
    }
    return "";
}

void
terminal_print(const struct terminal *t, enum style style, const char *format, ...)
{
    struct buf clean = {0};
    bool styled = t->colour && style != STYLE_PLAIN;
    va_list ap;
    char *text;

    va_start(ap, format);
    text = xvasprintf(format, ap);
    va_end(ap);
    utf8_clean(&clean, text);
    fprintf(t->file, "%s%s%s", styled ? style_code(style) : "", buf_str(&clean),
            styled ? "\033[0m" : "");
    buf_free(&clean);
    free(text);
}

void
terminal_paragraph(const struct terminal *t, enum style style, int indent,
                   const char *format, ...)
{
    struct buf lines = {0};
    va_list ap;
    char *text;

    va_start(ap, format);
    text = xvasprintf(format, ap);
    va_end(ap);
    if (t->cut)
        text_wrap(&lines, text, indent, t->width);
    else
        buf_printf(&lines, "%*s%s\n", indent, "", text);
    terminal_print(t, style, "%s", buf_str(&lines));
    buf_free(&lines);
    free(text);
}

/* How many bytes of a line, which begins with `indent` blanks, come before the last blank
 * that fits; all of them where there is none. */
static size_t
line_break(const char *line, size_t indent, int width)
{
    size_t at = text_fitting(line, width);

    if (line[at] == '\0')
        return at;
    while (at > indent && line[at] != ' ')
        at--;
    return at > indent ? at : indent + strcspn(line + indent, " ");
}

void
terminal_line(const struct terminal *t, enum style style, int hang, const char *line)
{
    const size_t indent = strspn(line, " ");
    char *rest = xstrdup(line);

    while (t->cut && text_width(rest) > t->width) {
        const size_t begin = strspn(rest, " "), end = line_break(rest, begin, t->width);
        const char *behind = rest + end + strspn(rest + end, " ");
        char *next;

        if (*behind == '\0')
            break;
        terminal_print(t, style, "%.*s\n", (int)end, rest);
        next = xasprintf("%*s%s", (int)indent + hang, "", behind);
        free(rest);
        rest = next;
    }
    terminal_print(t, style, "%s\n", rest);
    free(rest);
}

/* --- pages ---------------------------------------------------------------- */

/* The length of the style's code that begins here (style_code()); 0: there is none. */
static size_t
code_length(const char *text)
{
    return text[0] == '\033' ? strcspn(text, "m") + 1 : 0;
}

/* The column in which what is broken off a line begins. Where two blanks or more stand
 * between cells, it is that of the last cell near the left. Otherwise it is two columns
 * further right than the line, or the line's own, if that is far in already. */
static int
styled_hang(const char *line, size_t len, int width)
{
    const int most = width / 2 < CELL_COLUMN_MAX ? width / 2 : CELL_COLUMN_MAX;
    int column = 0, blanks = 0, indent = -1, cell = 0;

    for (size_t at = 0; at < len && column <= most;) {
        const size_t code = code_length(line + at);

        if (code > 0) {
            at += code;
            continue;
        }
        if (line[at] != ' ') {
            if (indent < 0)
                indent = column;
            else if (blanks >= 2)
                cell = column;
            blanks = 0;
        } else {
            blanks++;
        }
        column += ((unsigned char)line[at] & 0xC0) != 0x80; /* the first of a character */
        at++;
    }
    if (cell > 0)
        return cell;
    return indent < 8 ? (indent > 0 ? indent : 0) + 2 : indent;
}

/* How many bytes of a line come before the last blank that fits into so many columns. The
 * blanks with which it begins do not count. All of them do where the line fits, or has no
 * such blank. */
static size_t
styled_break(const char *line, size_t len, int width)
{
    size_t last = 0, step;
    bool word = false; /* there was something else than blanks */
    int columns = 0;

    for (size_t at = 0; at < len; at += step) {
        uint32_t codepoint;
        char one[8];

        step = code_length(line + at);
        if (step > 0)
            continue;
        step = utf8_decode(line + at, len - at, &codepoint);
        step = step > 0 ? step : 1;
        if (line[at] == ' ' && word)
            last = at;
        word = word || line[at] != ' ';
        snprintf(one, sizeof one, "%.*s", (int)step, line + at);
        columns += text_width(one);
        if (columns > width && last > 0)
            return last;
    }
    return len;
}

/* Prints one line of a page. */
static void
page_print_line(const struct terminal *t, const char *line, size_t len)
{
    const int hang = styled_hang(line, len, t->width);
    size_t end = styled_break(line, len, t->width);

    fprintf(t->file, "%.*s\n", (int)end, line);
    while (end < len) {
        line += end;
        len -= end;
        while (len > 0 && *line == ' ') {
            line++;
            len--;
        }
        if (len == 0)
            break;
        end = styled_break(line, len, t->width - hang);
        fprintf(t->file, "%*s%.*s\n", hang, "", (int)end, line);
    }
}

void
terminal_page_begin(struct terminal *page, const struct terminal *t)
{
    *page = *t;
    page->gathered = NULL;
    if (!t->cut)
        return;
    page->file = open_memstream(&page->gathered, &page->gathered_len);
    if (page->file == NULL)
        die(4, "out of memory");
}

void
terminal_page_end(struct terminal *page, const struct terminal *t)
{
    if (page->file == t->file)
        return;
    fclose(page->file);
    for (const char *line = page->gathered; *line != '\0';) {
        const size_t len = strcspn(line, "\n");

        page_print_line(t, line, len);
        line += len + (line[len] == '\n');
    }
    free(page->gathered);
}

void
terminal_rewrite(const struct terminal *t, const char *text)
{
    struct buf clean = {0};

    if (!t->live)
        return;
    utf8_clean(&clean, text);
    /* The last column stays free, because some terminals go to the next line after it. */
    fprintf(t->file, "\r\033[K%.*s", (int)text_fitting(buf_str(&clean), t->width - 1),
            buf_str(&clean));
    fflush(t->file);
    buf_free(&clean);
}
