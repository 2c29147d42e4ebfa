#include "program_support.h"

#include <sys/timex.h>

int cast2mqtt_clock_is_kept(void) {
    struct timex clock = {0};
    return adjtimex(&clock) != TIME_ERROR;
}
