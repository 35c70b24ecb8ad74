/*
 * The device nodes that a process needs to use one GPU of this machine, and no other: a
 * submission must not work, or disturb, on a card that it was not given.
 */
#ifndef DEVICE_GPU_NODES_H
#define DEVICE_GPU_NODES_H

#define GPU_NODES_MAX 64

struct gpu_nodes {
    char *path[GPU_NODES_MAX + 1]; /* NULL-terminated; owned */
};

/* Fills out with the nodes that are there: /dev/nvidiactl, /dev/nvidia-uvm and the card's
 * own. id: the card's UUID, "GPU-...". root: "" (tests: a folder that stands for it).
 * Returns the number of the card's own node (/dev/nvidia3: 3), or -1 where neither the
 * driver's files nor NVML tell it and there are several: then out has the nodes of all.
 */
int gpu_nodes_find(const char *root, const char *id, struct gpu_nodes *out);
void gpu_nodes_free(struct gpu_nodes *nodes);

#endif
