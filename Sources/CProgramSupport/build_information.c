#include "program_support.h"

#ifndef CAST2MQTT_COMMIT
#define CAST2MQTT_COMMIT ""
#endif

const char *cast2mqtt_commit(void) { return CAST2MQTT_COMMIT; }
