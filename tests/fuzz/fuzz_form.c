// links: common sandbox daemon
/* Any bytes as a form: its fields are text, or there is a sentence. The first byte says
 * how it is encoded. */
#include "base/utf8.h"
#include "daemon/web/form.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const TYPES[] = {"application/x-www-form-urlencoded",
                                        "multipart/form-data; boundary=e"};
    struct form f;
    struct report r = {0};

    if (size == 0)
        return 0;
    if (form_parse(TYPES[data[0] % 2], (const char *)data + 1, size - 1, &f, &r) == 0) {
        for (int i = 0; i < f.count; i++)
            if (f.field[i].name[0] == '\0' ||
                utf8_prefix(f.field[i].value, strlen(f.field[i].value)) !=
                    strlen(f.field[i].value))
                abort();
    } else if (!report_is_set(&r)) {
        abort();
    }
    form_free(&f);
    return 0;
}
