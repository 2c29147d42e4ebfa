// Shows a program another wall clock: the true one and the seconds that the file CLOCK_FAULT_FILE holds as a 64-bit number, at any moment.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t offset(void) {
    static volatile int64_t *seconds;
    if (!seconds) {
        const char *path = getenv("CLOCK_FAULT_FILE");
        int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        void *map = file >= 0 ? mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
        if (file >= 0) close(file);
        if (map == MAP_FAILED) return 0;
        seconds = map;
    }
    return *seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
