/* How many blocks of a kernel an SM of the modelled device holds at once. */
#include "model.h"

/* Registers are given to warps in units of 256 (CUDA programming guide, "Compute
 * Capabilities"). */
static uint32_t
warp_registers(uint32_t registers)
{
    return (registers * 32 + 255) / 256 * 256;
}

uint32_t
model_threads_max(const struct device_model *d, uint32_t registers)
{
    uint32_t of_warp = warp_registers(registers);

    return of_warp != 0 ? (uint32_t)d->registers_per_sm / of_warp * 32 : UINT32_MAX;
}

uint32_t
model_occupancy(const struct device_model *d, uint32_t threads, uint32_t shared_bytes,
                uint32_t registers, uint32_t limit[OCCUPANCY_LIMIT_COUNT])
{
    const uint32_t warps = (threads + 31) / 32;
    const uint32_t block_registers = warps * warp_registers(registers);
    uint32_t blocks = (uint32_t)d->blocks_per_sm;

    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        limit[i] = warps != 0 ? blocks : 0;
    if (warps == 0)
        return 0;
    limit[OCCUPANCY_THREADS] = (uint32_t)d->warps_per_sm / warps;
    /* 1 KiB of every block's shared memory is the system's (CUDA programming guide). */
    limit[OCCUPANCY_SHARED] = (uint32_t)d->shared_bytes_per_sm / (shared_bytes + 1024);
    if (block_registers != 0)
        limit[OCCUPANCY_REGISTERS] = (uint32_t)d->registers_per_sm / block_registers;
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        blocks = limit[i] < blocks ? limit[i] : blocks;
    return blocks;
}

uint32_t
model_blocks_per_sm(const struct device_model *d, uint32_t threads, uint32_t shared_bytes,
                    uint32_t registers)
{
    uint32_t limit[OCCUPANCY_LIMIT_COUNT];

    return model_occupancy(d, threads, shared_bytes, registers, limit);
}
