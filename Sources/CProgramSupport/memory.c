#include "program_support.h"

#include <malloc.h>

void cast2mqtt_separate_blocks(size_t bytes) { mallopt(M_MMAP_THRESHOLD, (int)bytes); }

void cast2mqtt_trim_memory(void) { malloc_trim(0); }
