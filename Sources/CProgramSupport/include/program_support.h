#pragma once

#include <stddef.h>

/// The commit that the program was built from, in hexadecimal digits; empty when the build did not get one.
const char *cast2mqtt_commit(void);

/// Gives each allocation of at least so many bytes pages of its own, and lets further threads share one heap (glibc's M_MMAP_THRESHOLD and
/// M_ARENA_MAX, which Swift's Glibc module leaves out).
void cast2mqtt_separate_blocks(size_t bytes);

/// Whether a time service keeps the system's clock right (adjtimex, which Swift's Glibc module leaves out): 0 if the kernel says that none does.
int cast2mqtt_clock_is_kept(void);

/// Returns the free pages of the whole heap to the system (glibc's malloc_trim), and the pages of the program that are only read, which
/// come back when they are used. Takes milliseconds. Software breakpoints of a debugger are lost.
void cast2mqtt_trim_memory(void);
