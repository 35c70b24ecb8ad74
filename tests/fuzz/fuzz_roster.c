// links: common sandbox daemon
/* Any text as a roster: rows whose names the store may be given, or a sentence. */
#include "daemon/roster.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "problem/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t valid = utf8_prefix((const char *)data, size);
    char *text = xasprintf("%.*s", (int)valid, (const char *)data);
    struct roster roster;
    struct report r = {0};

    if (roster_parse(text, &roster, &r) != 0) {
        if (!report_is_set(&r) || utf8_prefix(r.text, strlen(r.text)) != strlen(r.text))
            abort();
    } else {
        if (roster.count == 0 || roster.count > ROSTER_ROWS_MAX)
            abort();
        for (size_t i = 0; i < roster.count; i++)
            if (user_name_check(roster.row[i].user, &r) != 0 || roster.row[i].line < 2)
                abort();
        roster_free(&roster);
    }
    free(text);
    return 0;
}
