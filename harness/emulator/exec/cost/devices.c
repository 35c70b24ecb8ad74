/*
 * The devices that can be modelled. Each has a file of figures in
 * harness/emulator/devices/, which says where each figure comes from, and a row here.
 */
#include "model.h"

#include <stddef.h>
#include <string.h>

#define FIGURE(name, value) .name = (value),
static const struct device_model devices[] = {
    {
        .key = "h200",
#include "../../devices/h200.def"
    },
    {
        .key = "a100",
#include "../../devices/a100.def"
    },
    {
        .key = "rtx4090",
#include "../../devices/rtx4090.def"
    },
};
#undef FIGURE

const struct device_model *
device_at(unsigned index)
{
    return index < sizeof devices / sizeof *devices ? &devices[index] : NULL;
}

const struct device_model *
device_by_key(const char *key)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].key, key) == 0)
            return &devices[i];
    return NULL;
}
