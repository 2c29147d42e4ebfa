#include "build_information.h"

#include <malloc.h>

void cast2mqtt_separate_blocks(size_t bytes) { mallopt(M_MMAP_THRESHOLD, (int)bytes); }
