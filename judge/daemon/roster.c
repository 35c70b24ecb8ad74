/* Reads a roster: cells, then rows, then what they say. */
#include "daemon/roster.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "problem/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FORMULA_SIGNS "=+-@\t"

enum roster_column { ROSTER_USER, ROSTER_FULL_NAME, ROSTER_STUDENT_ID, ROSTER_NAMES };

static const char *const COLUMN_NAMES[ROSTER_NAMES] = {"user", "full_name", "student_id"};

/* The text that is not read yet. */
struct roster_reader {
    const char *at;
    char separator;
    int line;
};

/* One line of the table, which may be several lines of text. */
struct roster_cells {
    char *cell[ROSTER_COLUMNS_MAX];
    int count;
    int line;
};

/* --- cells --------------------------------------------------------------- */

static void
cells_free(struct roster_cells *row)
{
    for (int i = 0; i < row->count; i++)
        free(row->cell[i]);
    row->count = 0;
}

/* Reads what stands between quotation marks, of which two mean one. */
static int
read_quoted(struct roster_reader *in, struct buf *out, struct report *r)
{
    const int line = in->line;

    for (in->at++; *in->at != '\0'; in->at++) {
        if (*in->at == '"' && in->at[1] != '"') {
            in->at++;
            return 0;
        }
        if (*in->at == '"')
            in->at++;
        in->line += *in->at == '\n';
        buf_add(out, in->at, 1);
    }
    return report_fail(r, "line %d: a quotation mark is not closed", line);
}

/* Takes the blanks around a cell away, and the apostrophe before a formula's sign. */
static char *
cell_clean(const struct buf *text)
{
    const char *begin = text->len > 0 ? text->data : "";
    size_t len = text->len;

    while (len > 0 && (*begin == ' ' || *begin == '\t')) {
        begin++;
        len--;
    }
    if (len > 1 && *begin == '\'' && strchr(FORMULA_SIGNS, begin[1]) != NULL) {
        begin++;
        len--;
    }
    while (len > 0 && (begin[len - 1] == ' ' || begin[len - 1] == '\t'))
        len--;
    return xasprintf("%.*s", (int)len, begin);
}

/* Reads one cell, up to its separator or the end of its line. */
static int
read_cell(struct roster_reader *in, struct roster_cells *row, struct report *r)
{
    struct buf text = {0};
    int rc = 0;

    if (row->count == ROSTER_COLUMNS_MAX)
        return report_fail(r, "line %d: there are more than %d cells", in->line,
                           ROSTER_COLUMNS_MAX);
    if (*in->at == '"') {
        rc = read_quoted(in, &text, r);
        if (rc == 0 && *in->at != in->separator && strchr("\r\n", *in->at) == NULL)
            rc = report_fail(r, "line %d: something follows a closing quotation mark",
                             in->line);
    } else {
        while (*in->at != in->separator && strchr("\r\n", *in->at) == NULL)
            buf_add(&text, in->at++, 1);
    }
    if (rc == 0)
        row->cell[row->count++] = cell_clean(&text);
    buf_free(&text);
    return rc;
}

/* Reads one row with its line's end. */
static int
read_row(struct roster_reader *in, struct roster_cells *row, struct report *r)
{
    *row = (struct roster_cells){.line = in->line};
    for (;;) {
        if (read_cell(in, row, r) != 0) {
            cells_free(row);
            return -1;
        }
        if (*in->at != in->separator || *in->at == '\0')
            break;
        in->at++;
    }
    in->at += *in->at == '\r';
    in->at += *in->at == '\n';
    in->line++;
    return 0;
}

/* --- rows ---------------------------------------------------------------- */

/* Finds the columns by the first row. */
static int
take_header(const struct roster_cells *row, int column[ROSTER_NAMES], struct report *r)
{
    for (int i = 0; i < ROSTER_NAMES; i++) {
        column[i] = -1;
        for (int j = 0; j < row->count; j++) {
            if (strcasecmp(row->cell[j], COLUMN_NAMES[i]) != 0)
                continue;
            if (column[i] >= 0)
                return report_fail(r, "line 1: the column %s is there twice",
                                   COLUMN_NAMES[i]);
            column[i] = j;
        }
    }
    if (column[ROSTER_USER] < 0)
        return report_fail(r,
                           "line 1 names no column \"user\": it must name the columns, "
                           "such as user,full_name,student_id");
    return 0;
}

/* Takes a text that is only shown, or NULL where the roster has none. */
static int
take_text(const struct roster_cells *row, int column, const char *name, char **out,
          struct report *r)
{
    const char *text = column >= 0 && column < row->count ? row->cell[column] : "";
    const size_t len = strlen(text);
    size_t step;
    int count = 0;

    for (size_t at = 0; at < len; at += step, count++) {
        uint32_t c = 0;

        step = utf8_decode(text + at, len - at, &c);
        if (step == 0)
            return report_fail(r, "line %d: %s is not UTF-8", row->line, name);
        if (utf8_is_control(c) || utf8_is_bidi(c) || c == 0x2028 || c == 0x2029)
            return report_fail(r, "line %d: %s holds a control character (U+%04X)",
                               row->line, name, (unsigned)c);
    }
    if (count > FULL_NAME_MAX)
        return report_fail(r, "line %d: %s has %d characters, the limit is %d", row->line,
                           name, count, FULL_NAME_MAX);
    *out = len > 0 ? xstrdup(text) : NULL;
    return 0;
}

static int
check_user(const struct roster_cells *row, int column, struct report *r)
{
    struct report why = {0};

    if (column >= row->count || row->cell[column][0] == '\0')
        return report_fail(r, "line %d: user is empty", row->line);
    if (user_name_check(row->cell[column], &why) == 0)
        return 0;
    return report_fail(r, "line %d: %s", row->line, why.text);
}

static int
take_row(const struct roster_cells *row, const int column[ROSTER_NAMES],
         struct roster *out, struct report *r)
{
    struct roster_row taken = {.line = row->line};

    if (row->count == 1 && row->cell[0][0] == '\0')
        return 0; /* an empty line */
    if (out->count == ROSTER_ROWS_MAX)
        return report_fail(r, "line %d: a roster has at most %d people", row->line,
                           ROSTER_ROWS_MAX);
    if (check_user(row, column[ROSTER_USER], r) != 0)
        return -1;
    for (size_t i = 0; i < out->count; i++)
        if (strcasecmp(out->row[i].user, row->cell[column[ROSTER_USER]]) == 0)
            return report_fail(r, "line %d: user %s is in line %d, too", row->line,
                               out->row[i].user, out->row[i].line);
    if (take_text(row, column[ROSTER_FULL_NAME], "full_name", &taken.full_name, r) != 0)
        return -1;
    if (take_text(row, column[ROSTER_STUDENT_ID], "student_id", &taken.student_id, r) !=
        0) {
        free(taken.full_name);
        return -1;
    }
    taken.user = xstrdup(row->cell[column[ROSTER_USER]]);
    out->row = xrealloc(out->row, (out->count + 1) * sizeof *out->row);
    out->row[out->count++] = taken;
    return 0;
}

void
roster_free(struct roster *roster)
{
    for (size_t i = 0; i < roster->count; i++) {
        free(roster->row[i].user);
        free(roster->row[i].full_name);
        free(roster->row[i].student_id);
    }
    free(roster->row);
    *roster = (struct roster){0};
}

int
roster_parse(const char *text, struct roster *out, struct report *r)
{
    struct roster_reader in = {.at = text, .line = 1};
    struct roster_cells row;
    struct roster roster = {0};
    int column[ROSTER_NAMES] = {-1, -1, -1}, rc;

    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        in.at += 3; /* the byte order mark, which spreadsheets write */
    in.separator = memchr(in.at, ',', strcspn(in.at, "\r\n")) == NULL &&
                           memchr(in.at, ';', strcspn(in.at, "\r\n")) != NULL
                       ? ';'
                       : ',';
    rc = read_row(&in, &row, r);
    if (rc == 0) {
        rc = take_header(&row, column, r);
        cells_free(&row);
    }
    while (rc == 0 && *in.at != '\0') {
        rc = read_row(&in, &row, r);
        if (rc == 0) {
            rc = take_row(&row, column, &roster, r);
            cells_free(&row);
        }
    }
    if (rc == 0 && roster.count == 0)
        rc = report_fail(r, "nobody is in the roster: a line follows for each person");
    if (rc != 0)
        roster_free(&roster);
    else
        *out = roster;
    return rc;
}
