/*
 * Reads a GPU's clocks, temperature and power, and why its clocks are held down.
 * NVIDIA's management library is opened with dlopen. Nothing here changes a setting. A
 * value that cannot be read is absent, which is never an error.
 */
#ifndef DEVICE_NVML_H
#define DEVICE_NVML_H

struct gpu_state {
    /* -1: not known */
    double sm_mhz, memory_mhz, temperature_c, power_w;
    double throttle; /* bits of nvmlClocksEventReasons (NVML API reference) */
};

struct nvml;

/* Opens the GPU with this id ("GPU-...", as in struct device_rates). NULL: there is no
 * library, or it knows no such GPU. */
struct nvml *nvml_open(const char *id);
void nvml_read(struct nvml *n, struct gpu_state *out);
/* Bytes that went over the GPU's bus, in both directions and for any process, since the
 * first call. Negative: not known. The call takes 0.2 to 0.4 ms. */
double nvml_bus_bytes(struct nvml *n);
/* The number of its device node (3 for /dev/nvidia3), or -1 if it is not known. */
int nvml_minor(struct nvml *n);
void nvml_close(struct nvml *n); /* also NULL */

#endif
