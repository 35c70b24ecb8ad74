#include "device/gpu_nodes.h"

#include "base/buf.h"
#include "base/file.h"
#include "device/nvml.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INFORMATION_BYTES_MAX 65536

/* Copies the value of the line "KEY  value" of a text, or "" if there is none. */
static void
line_value(const char *text, const char *key, char out[64])
{
    const char *at = strstr(text, key);

    out[0] = '\0';
    if (at == NULL)
        return;
    at += strlen(key);
    at += strspn(at, " \t");
    snprintf(out, 64, "%.*s", (int)strcspn(at, "\n"), at);
}

/* The minor number in /proc/driver/nvidia/gpus/ADDRESS/information, if it is this
 * GPU's. */
static int
minor_in(const char *path, const char *id)
{
    struct report ignored = {0}; /* then try the next file */
    struct buf text = {0};
    char uuid[64], number[64];
    int minor = -1;

    if (file_read(path, INFORMATION_BYTES_MAX, &text, &ignored) == 0) {
        line_value(buf_str(&text), "GPU UUID:", uuid);
        line_value(buf_str(&text), "Device Minor:", number);
        if (strcmp(uuid, id) == 0 && isdigit((unsigned char)number[0]))
            minor = (int)strtol(number, NULL, 10);
    }
    buf_free(&text);
    return minor;
}

static int
minor_from_driver(const char *root, const char *id)
{
    char *pattern = xasprintf("%s/proc/driver/nvidia/gpus/*/information", root);
    glob_t files;
    int minor = -1;

    if (glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc && minor < 0; i++)
            minor = minor_in(files.gl_pathv[i], id);
        globfree(&files);
    }
    free(pattern);
    return minor;
}

static int
minor_from_nvml(const char *id)
{
    struct nvml *n = nvml_open(id);
    int minor = n != NULL ? nvml_minor(n) : -1;

    nvml_close(n);
    return minor;
}

/* Adds a node if it exists, and takes path's ownership. */
static void
nodes_add(struct gpu_nodes *out, int *count, char *path)
{
    if (*count < GPU_NODES_MAX && access(path, F_OK) == 0)
        out->path[(*count)++] = path;
    else
        free(path);
}

/* Adds every GPU's node. -1: there are several, or none. */
static int
nodes_add_all_gpus(const char *root, struct gpu_nodes *out, int *count)
{
    char *pattern = xasprintf("%s/dev/nvidia[0-9]*", root);
    glob_t files;
    int rc = -1;

    if (glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++)
            nodes_add(out, count, xstrdup(files.gl_pathv[i]));
        rc = files.gl_pathc == 1 ? 0 : -1;
        globfree(&files);
    }
    free(pattern);
    return rc;
}

/* Adds the GPU's own node. -1: it is not known. */
static int
nodes_add_gpu(const char *root, const char *id, struct gpu_nodes *out, int *count)
{
    const int before = *count;
    int minor = minor_from_driver(root, id);

    if (minor < 0 && root[0] == '\0')
        minor = minor_from_nvml(id);
    if (minor >= 0)
        nodes_add(out, count, xasprintf("%s/dev/nvidia%d", root, minor));
    /* A container may give a node another name than its number has. */
    return *count > before ? 0 : -1;
}

int
gpu_nodes_find(const char *root, const char *const *ids, struct gpu_nodes *out)
{
    int count = 0, common;

    *out = (struct gpu_nodes){0};
    nodes_add(out, &count, xasprintf("%s/dev/nvidiactl", root));
    nodes_add(out, &count, xasprintf("%s/dev/nvidia-uvm", root));
    common = count;
    for (; *ids != NULL; ids++) {
        if (nodes_add_gpu(root, *ids, out, &count) == 0)
            continue;
        for (; count > common; out->path[count] = NULL)
            free(out->path[--count]);
        return nodes_add_all_gpus(root, out, &count);
    }
    return 0;
}

void
gpu_nodes_free(struct gpu_nodes *nodes)
{
    for (int i = 0; nodes->path[i] != NULL; i++)
        free(nodes->path[i]);
    *nodes = (struct gpu_nodes){0};
}
