// links: compiler compile sandbox common
/* What the compilers and linkers print about a stranger's source: their words, full of
 * the stranger's. The first byte chooses how a tool ended, the second which tool it was.
 * For ptxas the same bytes are the PTX, and for a listing all that it is made of. */
#include "compile/assembly.h"
#include "compile/messages.h"
#include "compiler/diagnostics.h"
#include "compiler/listing.h"

#include <stdint.h>

#include <stdlib.h>

/* The second byte says which of the two forms it is. */
static void
fuzz_listing(uint8_t form, const uint8_t *data, size_t size)
{
    struct listing l = {0};

    buf_add(&l.code, data, size);
    buf_add(&l.said, data, size);
    cJSON_Delete(listing_json(
        &l, &(struct listing_wanted){form == 4 ? LISTING_PTX : LISTING_SASS, 1 << 20},
        buf_str(&l.code), "a.cu", "sm_90"));
    listing_free(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct function_param param[] = {
        {.name = "A", .type = DTYPE_F32, .dir = FUNCTION_IN},
        {.name = "N", .type = DTYPE_I32, .dir = FUNCTION_SCALAR}};
    static const struct function function = {.signature =
                                                 "void solve(const float* A, int N)",
                                             .param_count = 2,
                                             .param = param};
    const struct target t = {.function = &function,
                             .libraries = LIBRARIES_DEFAULT,
                             .kind = PROGRAM_EMU,
                             .file_name = "a.cu"};
    struct buf output = {0}, assembly = {0};
    enum tool_end end;
    char *message;

    if (size < 2)
        return 0;
    if (data[1] == 4 || data[1] == 5) {
        fuzz_listing(data[1], data + 2, size - 2);
        return 0;
    }
    end = data[0] % (TOOL_CRASH + 1);
    buf_add(&output, data + 2, size - 2);
    if (data[1] == 2) {
        message = message_assemble(&t, end, &output, buf_str(&output));
        assembly_text(buf_str(&output), &output, &assembly);
    } else {
        message = data[1] % 2 == 0 ? message_compile(&t, end, &output)
                                   : message_link(&t, end, &output);
    }
    free(diagnostics_of_message(message, t.file_name));
    free(message);
    buf_free(&output);
    buf_free(&assembly);
    return 0;
}
