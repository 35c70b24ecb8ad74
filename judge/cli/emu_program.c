/*
 * Reads a program's ELF file, as far as the dynamic linker's and nvcc's sections in it
 * tell which CUDA runtime the program will use. Every offset in the file is checked,
 * because the file may be cut off or damaged.
 */
#include "cli/emu_program.h"

#include "base/buf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME "libcudart.so."
#define RUNTIME_MAJOR "13"

struct elf {
    const char *bytes;
    size_t size;
    const Elf64_Ehdr *head;
};

/* The dynamic section and its names. */
struct dynamic {
    const Elf64_Dyn *entry;
    size_t count;
    const char *strings; /* the last of them is NUL-terminated */
    size_t string_bytes;
};

/* `count` items of `each` bytes at a file offset; NULL where the file does not hold
 * them. */
static const void *
elf_part(const struct elf *e, uint64_t offset, uint64_t count, uint64_t each)
{
    if (offset > e->size || (each != 0 && count > (e->size - offset) / each) ||
        offset % 8 != 0)
        return NULL;
    return e->bytes + offset;
}

static bool
is_elf(struct elf *e)
{
    e->head = elf_part(e, 0, 1, sizeof(Elf64_Ehdr));
    return e->head != NULL && memcmp(e->head->e_ident, ELFMAG, SELFMAG) == 0 &&
           e->head->e_ident[EI_CLASS] == ELFCLASS64 && e->head->e_machine == EM_X86_64;
}

static const Elf64_Phdr *
elf_segments(const struct elf *e)
{
    return e->head->e_phentsize == sizeof(Elf64_Phdr)
               ? elf_part(e, e->head->e_phoff, e->head->e_phnum, sizeof(Elf64_Phdr))
               : NULL;
}

/* The bytes that lie in memory at an address. *bytes is how many the file has from there
 * to the end of the segment. */
static const char *
at_address(const struct elf *e, uint64_t address, size_t *bytes)
{
    const Elf64_Phdr *s = elf_segments(e);

    for (int i = 0; s != NULL && i < e->head->e_phnum; i++) {
        uint64_t inside = address - s[i].p_vaddr;

        if (s[i].p_type != PT_LOAD || address < s[i].p_vaddr || inside >= s[i].p_filesz ||
            s[i].p_offset > e->size || s[i].p_filesz > e->size - s[i].p_offset)
            continue;
        *bytes = (size_t)(s[i].p_filesz - inside);
        return e->bytes + s[i].p_offset + inside;
    }
    return NULL;
}

static uint64_t
dynamic_value(const struct dynamic *d, int64_t tag)
{
    for (size_t i = 0; i < d->count && d->entry[i].d_tag != DT_NULL; i++)
        if (d->entry[i].d_tag == tag)
            return d->entry[i].d_un.d_val;
    return 0;
}

/* Finds the dynamic section. False where the program is linked statically, or damaged. */
static bool
find_dynamic(const struct elf *e, struct dynamic *d)
{
    const Elf64_Phdr *s = elf_segments(e);
    size_t bytes_left = 0;

    *d = (struct dynamic){0};
    for (int i = 0; s != NULL && i < e->head->e_phnum; i++) {
        if (s[i].p_type != PT_DYNAMIC)
            continue;
        d->count = (size_t)(s[i].p_filesz / sizeof *d->entry);
        d->entry = elf_part(e, s[i].p_offset, d->count, sizeof *d->entry);
    }
    if (d->entry == NULL)
        return false;
    d->strings = at_address(e, dynamic_value(d, DT_STRTAB), &bytes_left);
    d->string_bytes = (size_t)dynamic_value(d, DT_STRSZ);
    return d->strings != NULL && d->string_bytes > 0 && d->string_bytes <= bytes_left &&
           d->strings[d->string_bytes - 1] == '\0';
}

/* The library that entry i names if it is DT_NEEDED, else "". */
static const char *
elf_needed(const struct dynamic *d, size_t i)
{
    if (d->entry[i].d_tag != DT_NEEDED || d->entry[i].d_un.d_val >= d->string_bytes)
        return "";
    return d->strings + d->entry[i].d_un.d_val;
}

static bool
starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Does the program have a section of nvcc's with fat binaries? */
static bool
has_kernels(const struct elf *e)
{
    const Elf64_Shdr *s, *names;

    s = e->head->e_shentsize == sizeof *s
            ? elf_part(e, e->head->e_shoff, e->head->e_shnum, sizeof *s)
            : NULL;
    if (s == NULL || e->head->e_shstrndx >= e->head->e_shnum)
        return false;
    names = &s[e->head->e_shstrndx];
    if (names->sh_offset > e->size || names->sh_size > e->size - names->sh_offset ||
        names->sh_size == 0 || e->bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return false;
    for (int i = 0; i < e->head->e_shnum; i++)
        if (s[i].sh_name < names->sh_size &&
            strcmp(e->bytes + names->sh_offset + s[i].sh_name, ".nvFatBinSegment") == 0)
            return true;
    return false;
}

/* Is it one of NVIDIA's libraries that call the driver and bring kernels as machine
 * code? */
static bool
is_closed_library(const char *name)
{
    static const char *const closed[] = {
        "libcuda.so",  "libcublas",    "libcufft",        "libcusolver",
        "libcusparse", "libcurand.so", "libcudnn",        "libnpp",
        "libnccl",     "libnvjpeg.so", "libcufile.so",    "libnvJitLink.so",
        "libcutensor", "libcudla.so",  "libnvidia-ml.so",
    };

    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        if (starts_with(name, closed[i]))
            return true;
    return false;
}

static int
elf_inspect(const struct elf *e, struct emu_program *p, struct report *r)
{
    static const char registers[] = "__cudaRegisterFatBinary";
    struct dynamic d;
    bool dynamic = find_dynamic(e, &d), shared = false;

    for (size_t i = 0; dynamic && i < d.count && d.entry[i].d_tag != DT_NULL; i++) {
        const char *name = elf_needed(&d, i);

        p->has_rpath |= d.entry[i].d_tag == DT_RPATH;
        if (is_closed_library(name) && p->needs[0] == '\0')
            snprintf(p->needs, sizeof p->needs, "%s", name);
        if (!starts_with(name, RUNTIME))
            continue;
        shared = true;
        if (strcmp(name + strlen(RUNTIME), RUNTIME_MAJOR) != 0)
            return report_fail(r,
                               "%s was built for %s, and the emulated GPU answers "
                               "programs of CUDA " RUNTIME_MAJOR
                               ": rebuild it with nvcc of CUDA Toolkit " RUNTIME_MAJOR,
                               p->path, name);
    }
    if (!shared && has_kernels(e) &&
        !(dynamic && memmem(d.strings, d.string_bytes, registers, sizeof registers)))
        return report_fail(r,
                           "%s links NVIDIA's runtime statically, so that ours cannot "
                           "take its place: rebuild it with nvcc --cudart=shared",
                           p->path);
    return 0;
}

/* --- finding it ------------------------------------------------------------------- */

static bool
is_executable_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The path of a program. A name without a slash is looked for on PATH. NULL where there
 * is none. */
static char *
emu_program_find(const char *name)
{
    const char *at = getenv("PATH");

    if (strchr(name, '/') != NULL)
        return access(name, F_OK) == 0 ? xstrdup(name) : NULL;
    while (at != NULL) {
        const char *colon = strchrnul(at, ':');
        int len = (int)(colon - at);
        char *path = xasprintf("%.*s/%s", len > 0 ? len : 1, len > 0 ? at : ".", name);

        if (is_executable_file(path))
            return path;
        free(path);
        at = *colon == ':' ? colon + 1 : NULL;
    }
    return NULL;
}

int
emu_program_open(const char *name, struct emu_program *p, bool *missing, struct report *r)
{
    struct elf e = {0};
    struct stat st;
    void *map;
    int fd, rc = 0;

    *p = (struct emu_program){.path = emu_program_find(name)};
    *missing = p->path == NULL;
    if (p->path == NULL && access(name, X_OK) == 0 && strchr(name, '/') == NULL)
        return report_fail(r, "there is no program %s on PATH: did you mean ./%s?", name,
                           name);
    if (p->path == NULL)
        return report_fail(r, "there is no program %s", name);
    fd = open(p->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) /* a program may be executable and not readable */
        return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            e.bytes = map;
            e.size = (size_t)st.st_size;
            rc = is_elf(&e) ? elf_inspect(&e, p, r) : 0;
            munmap(map, e.size);
        }
    }
    close(fd);
    return rc;
}

void
emu_program_close(struct emu_program *p)
{
    free(p->path);
    *p = (struct emu_program){0};
}
