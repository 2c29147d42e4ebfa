#pragma once

/// The commit that the program was built from, in hexadecimal digits; empty when the build was not told.
const char *cast2mqtt_commit(void);
