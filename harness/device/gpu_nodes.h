/*
 * The device nodes that a process needs to use some GPUs of this machine. It gets no
 * other nodes, because a submission must neither use nor disturb a GPU that it was not
 * given.
 */
#ifndef DEVICE_GPU_NODES_H
#define DEVICE_GPU_NODES_H

#define GPU_NODES_MAX 64

struct gpu_nodes {
    char *path[GPU_NODES_MAX + 1]; /* NULL-terminated; owned */
};

/* Finds the nodes that exist: /dev/nvidiactl, /dev/nvidia-uvm and the GPUs' own ones
 * (/dev/nvidia3). The GPUs' UUIDs ("GPU-...") stand in ids, which ends with NULL. root is
 * "", or in tests a folder that stands for the root.
 *
 * Returns -1 if there are several GPUs and neither the driver's files nor NVML tell which
 * node belongs to which. Then out has the nodes of all GPUs. */
int gpu_nodes_find(const char *root, const char *const *ids, struct gpu_nodes *out);
void gpu_nodes_free(struct gpu_nodes *nodes);

#endif
