/*
 * A card's clocks, temperature, power and why its clocks are held down, from NVIDIA's
 * management library (opened with dlopen). Only read: nothing here changes a setting.
 * What cannot be read is absent, which is never an error.
 */
#ifndef DEVICE_NVML_H
#define DEVICE_NVML_H

struct card_state {
    /* -1: not known */
    double sm_mhz, memory_mhz, temperature_c, power_w;
    double throttle; /* bits of nvmlClocksEventReasons (NVML API reference) */
};

struct nvml;

/* id: "GPU-...", as struct device_rates has it. NULL: no library, or no such card in it.
 */
struct nvml *nvml_open(const char *id);
void nvml_read(struct nvml *n, struct card_state *out);
/* Bytes that anybody has sent over the card's bus, in both directions, since the first
 * question; < 0: not known. Takes 0.2 to 0.4 ms. */
double nvml_bus_bytes(struct nvml *n);
/* The number of its device node (/dev/nvidia3: 3); -1: not known. */
int nvml_minor(struct nvml *n);
void nvml_close(struct nvml *n); /* also NULL */

#endif
