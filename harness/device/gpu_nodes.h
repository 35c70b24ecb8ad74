/*
 * The device nodes that a process needs to use some GPUs of this machine, and no other: a
 * submission must not work, or disturb, on a card that it was not given.
 */
#ifndef DEVICE_GPU_NODES_H
#define DEVICE_GPU_NODES_H

#define GPU_NODES_MAX 64

struct gpu_nodes {
    char *path[GPU_NODES_MAX + 1]; /* NULL-terminated; owned */
};

/* Fills out with the nodes that are there: /dev/nvidiactl, /dev/nvidia-uvm and the cards'
 * own (/dev/nvidia3). ids: the cards' UUIDs, "GPU-...", NULL-terminated. root: "" (tests:
 * a folder that stands for it). -1: neither the driver's files nor NVML tell a card's
 * node and there are several: then out has the nodes of all cards. */
int gpu_nodes_find(const char *root, const char *const *ids, struct gpu_nodes *out);
void gpu_nodes_free(struct gpu_nodes *nodes);

#endif
