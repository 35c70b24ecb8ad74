// links: gpu_process gpu_owner sandbox common
/* What an emulated GPU in a stranger's hands may answer to the arbiter: the first byte
 * chooses the request, the rest is the reply. What passes the check is used as the
 * arbiter uses it. */
#include "base/utf8.h"
#include "device/cost_json.h"
#include "emulator/gpu/reply.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_text(const char *text, size_t size)
{
    const size_t len = strnlen(text, size);

    if (len == size || utf8_prefix(text, len) != len)
        abort();
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t c;

        step = utf8_decode(text + at, len - at, &c);
        if (utf8_is_control(c))
            abort();
    }
}

static void
check_fault(const struct fault *f)
{
    check_text(f->kernel, sizeof f->kernel);
    check_text(f->space, sizeof f->space);
    check_text(f->file, sizeof f->file);
    check_text(f->text, sizeof f->text);
    check_text(f->other_file, sizeof f->other_file);
    if (f->line < 0 || f->other_line < 0)
        abort();
}

/* cJSON writes null for a number that is none. */
static bool
holds_null(const cJSON *value)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, value)
    {
        if (cJSON_IsNull(item) || holds_null(item))
            return true;
    }
    return false;
}

static void
check_cost(const struct kernel_cost *k)
{
    cJSON *o = cost_json_kernel(k, "k.cu", "int x;\nint y;\n"), *read;
    char *text = cJSON_PrintUnformatted(o);

    read = text != NULL ? cJSON_Parse(text) : NULL;
    if (read == NULL || holds_null(read))
        abort();
    check_text(k->name, sizeof k->name);
    free(text);
    cJSON_Delete(read);
    cJSON_Delete(o);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gpu_control_reply reply;
    enum gpu_control_op op;

    if (size < 1)
        return 0;
    op = (enum gpu_control_op)(data[0] % (CONTROL_NOTICE + 1));
    memset(&reply, 0, sizeof reply);
    memcpy(&reply, data + 1, size - 1 < sizeof reply ? size - 1 : sizeof reply);
    if (reply_check(op, &reply) != 0)
        return 0;
    if (op == CONTROL_FAULT || (op == CONTROL_NOTICE && reply.address != 0))
        check_fault(&reply.fault);
    else if (op == CONTROL_COST && reply.address != 0)
        check_cost(&reply.cost);
    else if (op == CONTROL_COUNTERS &&
             (!isfinite(reply.counters.modelled_ns) || reply.counters.modelled_ns < 0 ||
              !isfinite(reply.counters.host_ns) || reply.counters.host_ns < 0))
        abort();
    return 0;
}
