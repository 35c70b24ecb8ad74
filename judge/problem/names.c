/* Checks names of users and of problems, and finds the known name that a mistyped one
 * probably means. */
#include "problem/names.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

#define WORD_BYTES_MAX 128
#define USER_CHARACTERS                                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

bool
slug_is_valid(const char *slug)
{
    size_t len = strspn(slug, "abcdefghijklmnopqrstuvwxyz0123456789-");

    return slug[len] == '\0' && len >= 1 && len <= SLUG_BYTES_MAX && slug[0] != '-';
}

/* Does the name read as `word`, which has small letters only? Marks between letters, and
 * digits for letters, do not make it another. */
static bool
name_looks_like(const char *name, const char *word)
{
    static const char digits[] = "0o1l3e5s";

    for (; *name != '\0'; name++) {
        const char *digit = *name >= '0' && *name <= '9' ? strchr(digits, *name) : NULL;
        char c = digit != NULL ? digit[1] : *name;

        if (strchr("-_.", c) != NULL)
            continue;
        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        if (c != *word++)
            return false;
    }
    return *word == '\0';
}

int
user_name_check(const char *name, struct report *r)
{
    size_t len = strlen(name);

    if (name[strspn(name, " ")] == '\0')
        return report_fail(r, "user is empty: say who submits");
    if (len > USER_BYTES_MAX)
        return report_fail(r, "user is %zu bytes long, the limit is %d", len,
                           USER_BYTES_MAX);
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t c = 0;

        step = utf8_decode(name + at, len - at, &c);
        if (step == 0)
            return report_fail(r, "user is not UTF-8");
        if (utf8_is_control(c))
            return report_fail(r, "user holds a control character (U+%04X)", (unsigned)c);
        if (utf8_is_bidi(c) || utf8_is_invisible(c))
            return report_fail(r, "user holds a character that cannot be seen (U+%04X)",
                               (unsigned)c);
    }
    if (name[0] == ' ' || name[len - 1] == ' ')
        return report_fail(r, "user begins or ends with a space");
    if (name[strspn(name, USER_CHARACTERS)] != '\0')
        return report_fail(r,
                           "user may have only the letters a to z and A to Z, digits, - "
                           "_ and . (others look like these)");
    if (name_looks_like(name, HOUSE_USER))
        return report_fail(r,
                           "user \"%s\" is reserved for the judge's own solutions: "
                           "choose another name",
                           name);
    return 0;
}

/* Checks one line of free text; `field` texts it in errors. */
static int
shown_line_check(const char *field, const char *text, int most, struct report *r)
{
    const size_t len = strlen(text);
    int count = 0;
    bool visible = true; /* the last character; none is as good */

    for (size_t at = 0, step; at < len; at += step, count++) {
        uint32_t c = 0;

        step = utf8_decode(text + at, len - at, &c);
        if (step == 0)
            return report_fail(r, "%s is not UTF-8", field);
        /* U+2028 and U+2029 end a line. */
        if (utf8_is_control(c) || c == 0x2028 || c == 0x2029)
            return report_fail(r, "%s holds a control character (U+%04X)", field,
                               (unsigned)c);
        if (utf8_is_bidi(c))
            return report_fail(r, "%s holds a character that turns the text (U+%04X)",
                               field, (unsigned)c);
        visible = c != ' ' && !utf8_is_invisible(c);
        if (count == 0 && !visible)
            return report_fail(r, "%s begins with what cannot be seen", field);
    }
    if (!visible)
        return report_fail(r, "%s ends with what cannot be seen", field);
    if (count > most)
        return report_fail(r, "%s has %d characters, the limit is %d", field, count,
                           most);
    return 0;
}

int
display_name_check(const char *name, struct report *r)
{
    return shown_line_check("display_name", name, DISPLAY_NAME_MAX, r);
}

int
announcement_check(const char *text, struct report *r)
{
    if (text[0] == '\0')
        return report_fail(r, "text is empty: say what everybody is told");
    return shown_line_check("text", text, ANNOUNCEMENT_MAX, r);
}

/* Levenshtein's distance, computed row by row. SIZE_MAX for words longer than any name of
 * ours. */
static size_t
edit_distance(const char *a, const char *b)
{
    size_t row[WORD_BYTES_MAX] = {0};
    size_t la = strlen(a), lb = strlen(b);

    if (la >= WORD_BYTES_MAX || lb >= WORD_BYTES_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[lb];
}

const char *
nearest_name(const char *word, const char *const *names, size_t count)
{
    size_t len = strlen(word), nearest = 2 + len / 4;
    const char *best = NULL;

    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, names[i]);

        /* The word may be the beginning of a longer name: "vector" of "vector-addition".
         */
        if (len >= 3 && distance > 1 && strncmp(names[i], word, len) == 0)
            distance = 1;
        if (distance < nearest) {
            nearest = distance;
            best = names[i];
        }
    }
    return best;
}
