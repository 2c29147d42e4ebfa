#pragma once

#include <stdint.h>

/// Gives the calling process's empty network namespace a loopback interface and a card, both for multicast. Returns 0, or -1 with `errno`.
int make_network(uint32_t address);
