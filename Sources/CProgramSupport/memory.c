#define _GNU_SOURCE
#include "program_support.h"

#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// What a thread of a moment frees at the end of an arena of its own, as the writer of the history does, malloc_trim would leave there.
void cast2mqtt_separate_blocks(size_t bytes) {
    mallopt(M_MMAP_THRESHOLD, (int)bytes);
    mallopt(M_ARENA_MAX, 1);
}

// A page of a segment that is never written to is the file's: it comes back from the page cache when it is used again. The last page of a
// segment may be shared with the next one, which is written to.
static int let_go(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    uintptr_t mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = (start + segment->p_memsz) & mask;
        start &= mask;
        if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void cast2mqtt_trim_memory(void) {
    malloc_trim(0);
    dl_iterate_phdr(let_go, NULL);
}
