// The benchmark's stop watch at the broker: stamps each message with CLOCK_MONOTONIC the moment it arrives or leaves.
//
//   probe PORT MARK
//
// Subscribes to everything at 127.0.0.1:PORT. For each message it writes a line "M <ns> <bytes> <mark> <topic>", where <mark> is 1 when the
// payload contains MARK. A line "<topic> <payload>" on the input is published with QoS 1 after "P <ns> <bytes> 0 <topic>" was written.
// The first line is "R", when the broker has acknowledged the subscription. The end of the input ends the program.
#define _GNU_SOURCE
#include <mosquitto.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *mark;

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void arrived(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context;
    long long now = now_ns();
    bool marked = message->payloadlen > 0 && memmem(message->payload, (size_t)message->payloadlen, mark, strlen(mark));
    printf("M %lld %d %d %s\n", now, message->payloadlen, marked, message->topic);
}

static void subscribed(struct mosquitto *client, void *context, int id, int count, const int *granted) {
    (void)client, (void)context, (void)id, (void)count, (void)granted;
    puts("R");
}

// Takes the whole lines from the input; false at its end.
static bool take_orders(struct mosquitto *client) {
    static char buffer[4096];
    static size_t filled;
    ssize_t count = read(STDIN_FILENO, buffer + filled, sizeof buffer - filled);
    if (count <= 0) return false;
    filled += (size_t)count;
    for (char *end; (end = memchr(buffer, '\n', filled));) {
        size_t length = (size_t)(end - buffer);
        *end = 0;
        char *payload = strchr(buffer, ' ');
        if (payload) {
            *payload++ = 0;
            int size = (int)strlen(payload);
            printf("P %lld %d 0 %s\n", now_ns(), size, buffer);
            if (mosquitto_publish(client, NULL, buffer, size, payload, 1, false) != MOSQ_ERR_SUCCESS) return false;
        }
        filled -= length + 1;
        memmove(buffer, end + 1, filled);
    }
    return filled < sizeof buffer;
}

int main(int count, char **arguments) {
    if (count != 3) return fputs("usage: probe PORT MARK\n", stderr), 64;
    mark = arguments[2];
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("probe", true, NULL);
    if (!client) return 1;
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_message_callback_set(client, arrived);
    mosquitto_subscribe_callback_set(client, subscribed);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 60) != MOSQ_ERR_SUCCESS) return fputs("probe: no broker\n", stderr), 1;
    mosquitto_subscribe(client, NULL, "#", 0);
    for (bool open = true; open;) {
        short events = mosquitto_want_write(client) ? POLLIN | POLLOUT : POLLIN;
        struct pollfd sources[] = {{.fd = mosquitto_socket(client), .events = events}, {.fd = STDIN_FILENO, .events = POLLIN}};
        poll(sources, 2, 1000);
        if (sources[0].revents && mosquitto_loop_read(client, 1) != MOSQ_ERR_SUCCESS) return fputs("probe: broker lost\n", stderr), 1;
        if (sources[1].revents) open = take_orders(client);
        if (mosquitto_want_write(client)) mosquitto_loop_write(client, 1);
        mosquitto_loop_misc(client);
        fflush(stdout);
    }
    return 0;
}
