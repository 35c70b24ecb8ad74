// links: nvidia_text common
/* Any bytes as what Nsight Compute or compute-sanitizer prints: a list of kernels, a
 * sentence, and errors whose text a terminal would not obey. */
#include "arbiter/profiling/csv_table.h"
#include "arbiter/profiling/ncu_kernels.h"
#include "arbiter/profiling/ncu_refusal.h"
#include "arbiter/profiling/sanitizer_text.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_shown(const char *text)
{
    if (utf8_prefix(text, strlen(text)) != strlen(text) || strchr(text, '\x1b') != NULL)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct csv_table *table = csv_table_read((const char *)data, size);
    cJSON *kernels = ncu_kernels_read(table, table, "a.cu", "\n\n");
    char *json = cJSON_PrintUnformatted(kernels);
    struct buf text = {0}, why = {0};
    struct fault f;
    const char *at;

    if (json == NULL)
        abort();
    check_shown(json);
    buf_add(&text, data, size);
    at = buf_str(&text);
    while (sanitizer_text_next(&at, "memcheck", FAULT_ILLEGAL_ADDRESS, &f)) {
        check_shown(f.text);
        check_shown(f.file);
        check_shown(f.other_file);
    }
    (void)sanitizer_text_errors(buf_str(&text));
    ncu_refusal_explain(buf_str(&text), &why);
    check_shown(buf_str(&why));
    buf_free(&text);
    buf_free(&why);
    free(json);
    cJSON_Delete(kernels);
    csv_table_free(table);
    return 0;
}
