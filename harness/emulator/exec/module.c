/*
 * Modules: parses a unit of PTX, places and initialises its variables, and lists its
 * kernels. A kernel is decoded at its first launch.
 */
#include "cost/costs.h"
#include "fault.h"
#include "machine.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest variable that a module may have. */
#define MAX_VARIABLE_BYTES ((uint64_t)4 << 30)

/* All .const variables of a module together: the 64 KiB of the hardware. */
#define MAX_CONSTANT_BYTES 65536u

static bool
is_placed(const struct ptx_var *v)
{
    return v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
}

/* Managed variables lie this far apart in the memory that the host shares. Each is an
 * allocation of its own, so that an index that leaves one is seen. */
#define MANAGED_STEP 256u

static uint64_t
managed_offset(uint64_t *at, const struct ptx_var *v)
{
    uint64_t align = v->align > MANAGED_STEP ? v->align : MANAGED_STEP;
    uint64_t offset = (*at + align - 1) & ~(align - 1);

    *at = offset + v->bytes + 1;
    return offset;
}

static bool
is_managed(const struct module *mod, const struct ptx_var *v)
{
    return v->is_managed && mod->managed != 0 && v->bytes != 0;
}

static int
place_managed(struct module *mod, managed_memory *map, void *context, struct fault *f)
{
    uint64_t bytes = 0, at = 0;
    void *host = NULL;

    for (const struct ptx_var *v = mod->ptx->vars; v != NULL; v = v->next) {
        if (v->is_managed && v->bytes != 0 && map != NULL)
            managed_offset(&bytes, v);
        if (bytes > MAX_VARIABLE_BYTES)
            break;
    }
    if (bytes == 0)
        return 0;
    if (bytes <= MAX_VARIABLE_BYTES)
        mod->managed = map(context, bytes, &host);
    if (mod->managed == 0) {
        fault_text(f, FAULT_OUT_OF_MEMORY, "no room for %llu bytes of managed variables",
                   (unsigned long long)bytes);
        return -1;
    }
    mod->managed_host = host;
    for (const struct ptx_var *v = mod->ptx->vars; v != NULL; v = v->next) {
        uint64_t offset;

        if (!is_managed(mod, v))
            continue;
        offset = managed_offset(&at, v);
        mod->addresses[v->index] =
            memory_import_at(mod->machine, mod->managed + offset,
                             mod->managed_host + offset, v->bytes, true, f);
        if (mod->addresses[v->index] == 0)
            return -1;
    }
    return 0;
}

static uint64_t
place(struct module *mod, const struct ptx_var *v, struct fault *f)
{
    uint64_t address = 0;

    if (v->bytes <= MAX_VARIABLE_BYTES)
        address =
            memory_alloc_internal(mod->machine, v->bytes != 0 ? v->bytes : 1, v->align);
    if (address == 0)
        fault_text(f, FAULT_OUT_OF_MEMORY,
                   "no room for the variable %.100s of %llu bytes", v->name,
                   (unsigned long long)v->bytes);
    else
        memory_lookup(mod->machine, address)->constant = v->space == PTX_SPACE_CONST;
    return address;
}

/* Adds up the .const variables of a list, each at its alignment. */
static uint64_t
constant_bytes(const struct ptx_var *list, uint64_t bytes)
{
    for (const struct ptx_var *v = list; v != NULL && bytes <= MAX_CONSTANT_BYTES;
         v = v->next) {
        if (v->space != PTX_SPACE_CONST)
            continue;
        bytes = (bytes + v->align - 1) & ~((uint64_t)v->align - 1);
        bytes = v->bytes <= MAX_VARIABLE_BYTES ? bytes + v->bytes : MAX_VARIABLE_BYTES;
    }
    return bytes;
}

/* 5.1.3: ptxas refuses more, and so does a driver that assembles the PTX. */
static int
check_constants(const struct ptx_module *ptx, struct fault *f)
{
    uint64_t bytes = constant_bytes(ptx->vars, 0);

    for (const struct ptx_func *fn = ptx->funcs; fn != NULL; fn = fn->next)
        bytes = constant_bytes(fn->vars, bytes);
    if (bytes <= MAX_CONSTANT_BYTES)
        return 0;
    fault_text(f, FAULT_PTX_SYNTAX,
               "the module's __constant__ variables take more than the %u bytes that a "
               "GPU has for them",
               MAX_CONSTANT_BYTES);
    return -1;
}

/* 5.4.1: another unit defines what is .extern in this one. */
static int
check_defined(const struct module *mod, struct fault *f)
{
    for (const struct ptx_var *v = mod->ptx->vars; v != NULL; v = v->next) {
        if (!is_placed(v) || !v->is_extern)
            continue;
        fault_text(f, FAULT_PTX_SYNTAX,
                   "PTX line %d: the variable %.100s is declared .extern and defined "
                   "nowhere",
                   v->line, v->name);
        return -1;
    }
    return 0;
}

static int
place_all(struct module *mod, managed_memory *map, void *context, struct fault *f)
{
    struct ptx_module *ptx = mod->ptx;

    mod->addresses = calloc(ptx->var_count + 1, sizeof *mod->addresses);
    mod->func_addresses = calloc(ptx->func_count + 1, sizeof(uint64_t *));
    if (mod->addresses == NULL || mod->func_addresses == NULL)
        goto no_memory;
    if (check_defined(mod, f) != 0 || check_constants(ptx, f) != 0 ||
        place_managed(mod, map, context, f) != 0)
        return -1;
    for (const struct ptx_var *v = ptx->vars; v != NULL; v = v->next)
        if (is_placed(v) && !is_managed(mod, v) &&
            (mod->addresses[v->index] = place(mod, v, f)) == 0)
            return -1;
    for (const struct ptx_func *fn = ptx->funcs; fn != NULL; fn = fn->next) {
        uint64_t *list = calloc(fn->var_count + 1, sizeof *list);

        if (list == NULL)
            goto no_memory;
        mod->func_addresses[fn->index] = list;
        for (const struct ptx_var *v = fn->vars; v != NULL; v = v->next)
            if (is_placed(v) && (list[v->index] = place(mod, v, f)) == 0)
                return -1;
    }
    return 0;
no_memory:
    fault_text(f, FAULT_OUT_OF_MEMORY, "the host has no memory for a module");
    return -1;
}

/* Is this the variable that a unit means by the name? */
static bool
is_named(const struct ptx_init *i, const char *name, bool is_local, uint32_t unit)
{
    return strcmp(name, i->symbol) == 0 && (!is_local || unit == i->unit);
}

/* The value of a symbol in an initialiser, which is a generic address. A name of the
 * unit's own hides one that units share. */
static int
symbol_value(const struct module *mod, const struct ptx_init *i, uint64_t *value)
{
    for (int local = 1; local >= 0; local--) {
        for (const struct ptx_var *v = mod->ptx->vars; v != NULL; v = v->next) {
            if (v->is_local == local && is_placed(v) &&
                is_named(i, v->name, v->is_local, v->unit)) {
                *value = mod->addresses[v->index];
                return 0;
            }
        }
        for (const struct ptx_func *f = mod->ptx->funcs; f != NULL; f = f->next) {
            if (f->is_local == local && is_named(i, f->name, f->is_local, f->unit)) {
                *value = FUNC_ADDRESS_BASE + 16 * (uint64_t)f->index;
                return 0;
            }
        }
    }
    return -1;
}

static int
initialise(struct module *mod, const struct ptx_var *v, uint64_t address, struct fault *f)
{
    uint8_t *host = memory_host(mod->machine, address, v->bytes);

    if (host == NULL || v->init == NULL)
        return 0;
    for (const struct ptx_init *i = v->init; i != NULL; i = i->next) {
        uint64_t value = i->bits, base = 0;

        if (i->offset + i->bytes > v->bytes || i->bytes > sizeof value)
            continue; /* the parser has seen to it */
        if (i->symbol != NULL) {
            if (symbol_value(mod, i, &base) != 0) {
                fault_text(f, FAULT_PTX_SYNTAX,
                           "PTX line %d: %.100s, in an initialiser, is not defined",
                           i->line, i->symbol);
                return -1;
            }
            value = (base + i->bits) & i->mask;
            if (i->mask != 0)
                value >>= __builtin_ctzll(i->mask);
        }
        memcpy(host + i->offset, &value, i->bytes);
    }
    return 0;
}

static int
initialise_all(struct module *mod, struct fault *f)
{
    for (const struct ptx_var *v = mod->ptx->vars; v != NULL; v = v->next)
        if (is_placed(v) && initialise(mod, v, mod->addresses[v->index], f) != 0)
            return -1;
    for (const struct ptx_func *fn = mod->ptx->funcs; fn != NULL; fn = fn->next)
        for (const struct ptx_var *v = fn->vars; v != NULL; v = v->next)
            if (is_placed(v) &&
                initialise(mod, v, mod->func_addresses[fn->index][v->index], f) != 0)
                return -1;
    return 0;
}

/* 7.1: parameters lie one after the other, each at its alignment. */
static struct kernel *
kernel_new(struct module *mod, const struct ptx_func *fn)
{
    struct kernel *k = calloc(1, sizeof *k);
    uint32_t count = 0;

    if (k == NULL)
        return NULL;
    k->module = mod;
    k->func = fn;
    demangle(fn->name, k->name, sizeof k->name);
    for (const struct ptx_var *v = fn->params; v != NULL; v = v->next)
        count++;
    k->params = kernel_memory(k, (count + 1) * sizeof *k->params);
    if (k->params == NULL) {
        kernel_free(k);
        return NULL;
    }
    for (const struct ptx_var *v = fn->params; v != NULL; v = v->next) {
        uint32_t bytes = v->bytes < 65536 ? (uint32_t)v->bytes : 65536;

        k->param_bytes = (k->param_bytes + v->align - 1) & ~(v->align - 1);
        k->params[k->param_count++] = (struct param_slot){k->param_bytes, bytes};
        k->param_bytes += bytes;
        if (k->param_bytes > 1u << 20)
            break;
    }
    return k;
}

static int
list_kernels(struct module *mod, struct fault *f)
{
    for (const struct ptx_func *fn = mod->ptx->funcs; fn != NULL; fn = fn->next) {
        struct kernel *k;

        if (!fn->is_entry || !fn->has_body)
            continue;
        k = kernel_new(mod, fn);
        if (k == NULL) {
            fault_text(f, FAULT_OUT_OF_MEMORY, "the host has no memory for a kernel");
            return -1;
        }
        k->next = mod->kernels;
        mod->kernels = k;
    }
    return 0;
}

struct module *
module_load(struct machine *m, const char *ptx, size_t len, struct fault *f)
{
    return module_load_managed(m, ptx, len, NULL, NULL, f);
}

struct module *
module_load_managed(struct machine *m, const char *ptx, size_t len, managed_memory *map,
                    void *context, struct fault *f)
{
    struct ptx_error error;
    struct module *mod = calloc(1, sizeof *mod);

    *f = (struct fault){0};
    if (mod == NULL) {
        fault_text(f, FAULT_OUT_OF_MEMORY, "the host has no memory for a module");
        return NULL;
    }
    mod->machine = m;
    mod->device = m->current;
    mod->next = m->modules;
    m->modules = mod;
    mod->ptx = ptx_parse(ptx, len, &error);
    if (mod->ptx == NULL) {
        fault_text(f, FAULT_PTX_SYNTAX, "PTX line %d: %s", error.line, error.text);
        f->line = error.line;
    } else if (place_all(mod, map, context, f) == 0 && initialise_all(mod, f) == 0 &&
               list_kernels(mod, f) == 0) {
        return mod;
    }
    module_unload(m, mod);
    return NULL;
}

static void
release(struct module *mod, const struct ptx_var *list, const uint64_t *addresses)
{
    for (const struct ptx_var *v = list; v != NULL && addresses != NULL; v = v->next)
        if (addresses[v->index] != 0)
            memory_free(mod->machine, addresses[v->index]);
}

void
module_unload(struct machine *m, struct module *mod)
{
    struct module **at = &m->modules;
    struct kernel *next;

    while (*at != NULL && *at != mod)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    *at = mod->next;
    for (struct kernel *k = mod->kernels; k != NULL; k = next) {
        next = k->next;
        costs_retire(m, k);
        kernel_free(k);
    }
    if (mod->ptx != NULL) {
        release(mod, mod->ptx->vars, mod->addresses);
        for (const struct ptx_func *f = mod->ptx->funcs;
             f != NULL && mod->func_addresses != NULL; f = f->next) {
            release(mod, f->vars, mod->func_addresses[f->index]);
            free(mod->func_addresses[f->index]);
        }
        ptx_free(mod->ptx);
    }
    free(mod->addresses);
    free(mod->func_addresses);
    free(mod);
}

struct kernel *
module_kernel(struct module *mod, const char *mangled_name)
{
    for (struct kernel *k = mod->kernels; k != NULL; k = k->next)
        if (strcmp(k->func->name, mangled_name) == 0)
            return k;
    return NULL;
}

int
module_variable(struct module *mod, const char *name, uint64_t *address, uint64_t *bytes)
{
    for (const struct ptx_var *v = mod->ptx->vars; v != NULL; v = v->next) {
        if (is_placed(v) && strcmp(v->name, name) == 0) {
            *address = mod->addresses[v->index];
            *bytes = v->bytes;
            return 0;
        }
    }
    return -1;
}

static int
assembled_order(const void *name, const void *entry)
{
    return strcmp(name, ((const struct assembled *)entry)->name);
}

void
module_assembled(struct module *mod, const struct assembled *list, size_t count)
{
    for (struct kernel *k = mod->kernels; k != NULL && count > 0; k = k->next) {
        const struct assembled *a =
            bsearch(k->func->name, list, count, sizeof *list, assembled_order);

        if (a == NULL || a->registers == 0)
            continue;
        k->assembled = *a;
        k->assembled.name = k->func->name;
        k->registers = a->registers;
    }
}

/* --- what is known of a kernel ------------------------------------------- */

int
kernel_param_count(const struct kernel *k)
{
    return (int)k->param_count;
}

void
kernel_param(const struct kernel *k, int i, uint32_t *offset, uint32_t *size)
{
    *offset = k->params[i].offset;
    *size = k->params[i].bytes;
}

uint32_t
kernel_param_bytes(const struct kernel *k)
{
    return k->param_bytes;
}

/* Decoding finds the shared variables. If it fails, it fails at the launch, too. */
uint32_t
kernel_static_shared(const struct kernel *k)
{
    struct fault ignored;

    if (!k->decoded)
        (void)kernel_decode((struct kernel *)k, &ignored);
    return k->static_shared;
}

uint32_t
kernel_modelled_shared(const struct kernel *k, uint32_t bytes)
{
    uint32_t own = kernel_static_shared(k);

    if (k->assembled.name == NULL || bytes < own)
        return bytes;
    return bytes - own + k->assembled.shared;
}

uint32_t
kernel_registers(const struct kernel *k)
{
    if (k->registers == 0)
        ((struct kernel *)k)->registers = registers_estimate(k->func);
    return k->registers;
}

uint32_t
kernel_max_threads(const struct kernel *k)
{
    return k->func->max_threads != 0 && k->func->max_threads < 1024 ? k->func->max_threads
                                                                    : 1024;
}

uint32_t
kernel_blocks_per_sm(const struct kernel *k, uint32_t threads, uint32_t dynamic_shared)
{
    return model_blocks_per_sm(
        k->module->machine->device, threads,
        kernel_modelled_shared(k, kernel_static_shared(k) + dynamic_shared),
        kernel_registers(k));
}

struct module *
kernel_module(const struct kernel *k)
{
    return k->module;
}

int
kernel_device(const struct kernel *k)
{
    return k->module->device;
}

void
kernel_cluster(const struct kernel *k, uint32_t cluster[3])
{
    memcpy(cluster, k->func->cluster, sizeof k->func->cluster);
}

uint32_t
kernel_target(const struct kernel *k)
{
    return k->module->ptx->target_sm;
}

const char *
kernel_name(const struct kernel *k)
{
    return k->func->name;
}
