/*
 * Asks a GPU how many bytes have gone over its bus. The GPU takes 0.6 ms to answer, which
 * is as long as a short call. So it is asked on a thread of its own while the outputs are
 * compared. It is asked once for each call: the count after one call is the next one's
 * count before, if it is young.
 *
 * The GPU's counters come round every 4 GB, and no bus sends so much in 20 ms (PCIe 6.0
 * needs 34). A count that is older is not used. Else a program that had sent 4 GB would
 * seem to have sent nothing.
 */
#ifndef ARBITER_CALLING_BUS_METER_H
#define ARBITER_CALLING_BUS_METER_H

#include "device/device.h"

struct bus_meter;

/* Begins to use the device's counters, on a thread that ends with bus_meter_close. Never
 * NULL. The device must outlive it. Nobody else may call device_bus_bytes meanwhile. */
struct bus_meter *bus_meter_open(struct device *d);

/* NULL is allowed. */
void bus_meter_close(struct bus_meter *m);

/* The count before a call. It is the latest one if that is young and `carries` says that
 * nothing of ours went over the bus since; else the GPU is asked now. Negative: not
 * known. */
double bus_meter_before(struct bus_meter *m, bool carries);

/* Asks for the count after a call, and does not wait. */
void bus_meter_ask(struct bus_meter *m);

/* Waits for the count that was asked for last. Negative: not known. */
double bus_meter_after(struct bus_meter *m);

#endif
