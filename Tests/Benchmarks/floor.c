// The comparison program: the least that a bridge from Cast to MQTT can do. One thread, one epoll set, OpenSSL and libmosquitto.
//
//   floor PORT RECEIVER_SIZES MEDIA_SIZES ADDRESS...
//
// Connects to each device (ADDRESS, port 8009), follows its application over an invisible virtual connection, and forwards each
// RECEIVER_STATUS and MEDIA_STATUS to the broker at 127.0.0.1:PORT, retained, QoS 1, without parsing it: one message for each size in the
// list ("900,1400"), the text cut or padded to that size; 0 stands for the text as it is, "-" for no message at all. Topics are
// floor/<n>/receiver/<i> and floor/<n>/media/<i>. A number on floor/<n>/set/volume becomes a SET_VOLUME of that percentage.
//
// It serves a benchmark only: any fault of a device or of the broker ends it with status 1.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_DEVICES = 2000,
    MAX_FRAME = 65536,
    MAX_SIZES = 64,
    CAST_PORT = 8009,
    BROKER_INDEX = MAX_DEVICES,  // the broker's place in the epoll set
};

// Silence after which a device is pinged, and after which it counts as lost.
static const int64_t PING_AFTER_NS = 5000000000, LOST_AFTER_NS = 30000000000;

static const char CONNECTION[] = "urn:x-cast:com.google.cast.tp.connection";
static const char HEARTBEAT[] = "urn:x-cast:com.google.cast.tp.heartbeat";
static const char RECEIVER[] = "urn:x-cast:com.google.cast.receiver";
static const char MEDIA[] = "urn:x-cast:com.google.cast.media";
static const char PLATFORM[] = "receiver-0";
static const char INVISIBLE_CONNECT[] = "{\"type\":\"CONNECT\",\"connType\":2,\"origin\":{}}";

struct device {
    SSL *tls;
    int index, socket;
    enum { CONNECTING, HANDSHAKING, OPEN } phase;
    unsigned request;
    int64_t heard;  // last frame, CLOCK_MONOTONIC
    int64_t pinged; // last PING since then, 0 without one
    char transport[128];
    uint8_t *input; // room for one whole frame
    size_t filled;
};

struct sizes {
    size_t count, of[MAX_SIZES];
};

static struct device devices[MAX_DEVICES];
static int device_count, epoll_descriptor;
static int64_t next_check;  // when the first device may be due for a PING
static struct mosquitto *broker;
static struct sizes receiver_sizes, media_sizes;
static char text[MAX_FRAME];

static _Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("floor: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void watch(int descriptor, unsigned events, int index, int operation) {
    struct epoll_event event = {.events = events, .data.u32 = (uint32_t)index};
    if (epoll_ctl(epoll_descriptor, operation, descriptor, &event) != 0) fail("epoll_ctl: %s", strerror(errno));
}

// MARK: Cast

static uint8_t *append_key(uint8_t *end, uint8_t tag, size_t length) {
    *end++ = tag;
    for (; length >= 0x80; length >>= 7) *end++ = (uint8_t)(length | 0x80);
    *end++ = (uint8_t)length;
    return end;
}

static uint8_t *append_text(uint8_t *end, uint8_t tag, const char *value) {
    size_t length = strlen(value);
    end = append_key(end, tag, length);
    memcpy(end, value, length);
    return end + length;
}

static void send_message(struct device *device, const char *destination, const char *name_space, const char *payload) {
    uint8_t frame[1024], *end = frame + 4;
    *end++ = 0x08, *end++ = 0;  // protocol_version 0
    end = append_text(end, 0x12, "sender-0");
    end = append_text(end, 0x1a, destination);
    end = append_text(end, 0x22, name_space);
    *end++ = 0x28, *end++ = 0;  // payload_type STRING
    end = append_text(end, 0x32, payload);
    uint32_t length = htonl((uint32_t)(end - frame - 4));
    memcpy(frame, &length, 4);
    // So little fits into the socket of a device that reads; when the kernel has no room for anybody, it is waited for.
    int result;
    while ((result = SSL_write(device->tls, frame, (int)(end - frame))) <= 0) {
        int reason = SSL_get_error(device->tls, result);
        struct pollfd room = {.fd = device->socket, .events = POLLOUT};
        if (reason != SSL_ERROR_WANT_WRITE || poll(&room, 1, 1000) != 1) {
            fail("device %d does not read (%d, %s)", device->index, reason, strerror(errno));
        }
    }
}

static void request_status(struct device *device, const char *destination, const char *name_space) {
    char payload[64];
    snprintf(payload, sizeof payload, "{\"type\":\"GET_STATUS\",\"requestId\":%u}", ++device->request);
    send_message(device, destination, name_space, payload);
}

static void publish(struct device *device, const char *kind, const struct sizes *sizes, const char *payload, size_t length) {
    for (size_t i = 0; i < sizes->count; i++) {
        char topic[64];
        size_t size = sizes->of[i] ? sizes->of[i] : length;
        snprintf(topic, sizeof topic, "floor/%d/%s/%zu", device->index, kind, i);
        memcpy(text, payload, length < size ? length : size);
        if (size > length) memset(text + length, ' ', size - length);
        int result = mosquitto_publish(broker, NULL, topic, (int)size, text, 1, true);
        if (result != MOSQ_ERR_SUCCESS) fail("publish: %s", mosquitto_strerror(result));
    }
}

static void follow_application(struct device *device, const char *payload, size_t length) {
    static const char key[] = "\"transportId\":\"";
    const char *start = memmem(payload, length, key, sizeof key - 1);
    if (!start) return;
    start += sizeof key - 1;
    const char *end = memchr(start, '"', (size_t)(payload + length - start));
    size_t size = end ? (size_t)(end - start) : sizeof device->transport;
    if (size >= sizeof device->transport) fail("device %d has an endless transportId", device->index);
    if (strlen(device->transport) == size && memcmp(device->transport, start, size) == 0) return;
    memcpy(device->transport, start, size);
    device->transport[size] = 0;
    send_message(device, device->transport, CONNECTION, INVISIBLE_CONNECT);
    request_status(device, device->transport, MEDIA);
}

static bool contains(const char *payload, size_t length, const char *part) { return memmem(payload, length, part, strlen(part)) != NULL; }

// The payload of a frame is what follows its first '{'; the names before it have none.
static void received(struct device *device, const char *body, size_t length) {
    const char *payload = memchr(body, '{', length);
    if (!payload) return;
    size_t size = (size_t)(body + length - payload);
    size_t head = size < 64 ? size : 64;
    if (contains(payload, head, "\"PING\"")) {
        send_message(device, PLATFORM, HEARTBEAT, "{\"type\":\"PONG\"}");
    } else if (contains(payload, size, "\"RECEIVER_STATUS\"")) {
        publish(device, "receiver", &receiver_sizes, payload, size);
        follow_application(device, payload, size);
    } else if (contains(payload, size, "\"MEDIA_STATUS\"")) {
        publish(device, "media", &media_sizes, payload, size);
    }
}

static void read_frames(struct device *device) {
    for (;;) {
        int count = SSL_read(device->tls, device->input + device->filled, (int)(4 + MAX_FRAME - device->filled));
        if (count <= 0) {
            int reason = SSL_get_error(device->tls, count);
            if (reason == SSL_ERROR_WANT_READ) return;
            fail("device %d closed its connection (%d)", device->index, reason);
        }
        device->filled += (size_t)count;
        device->heard = now_ns();
        device->pinged = 0;
        size_t used = 0;
        while (device->filled - used >= 4) {
            uint32_t length;
            memcpy(&length, device->input + used, 4);
            length = ntohl(length);
            if (length > MAX_FRAME) fail("device %d sent a frame of %u bytes", device->index, length);
            if (device->filled - used < 4 + length) break;
            received(device, (char *)device->input + used + 4, length);
            used += 4 + length;
        }
        memmove(device->input, device->input + used, device->filled - used);
        device->filled -= used;
    }
}

static void advance(struct device *device) {
    if (device->phase == CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(device->socket, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error) fail("device %d: %s", device->index, strerror(error));
        device->phase = HANDSHAKING;
    }
    if (device->phase == HANDSHAKING) {
        int result = SSL_connect(device->tls), reason = SSL_get_error(device->tls, result);
        if (result != 1) {
            if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) fail("device %d: TLS fails (%d)", device->index, reason);
            watch(device->socket, reason == SSL_ERROR_WANT_WRITE ? EPOLLOUT : EPOLLIN, device->index, EPOLL_CTL_MOD);
            return;
        }
        device->phase = OPEN;
        watch(device->socket, EPOLLIN, device->index, EPOLL_CTL_MOD);
        send_message(device, PLATFORM, CONNECTION, INVISIBLE_CONNECT);
        request_status(device, PLATFORM, RECEIVER);
    }
    read_frames(device);
}

static void connect_device(SSL_CTX *context, int index, const char *address) {
    struct device *device = &devices[index];
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(CAST_PORT)};
    int on = 1;
    if (inet_pton(AF_INET, address, &peer.sin_addr) != 1) fail("%s is no IPv4 address", address);
    device->index = index;
    device->heard = now_ns();
    device->input = malloc(4 + MAX_FRAME);
    device->tls = SSL_new(context);
    device->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (!device->input || !device->tls || device->socket < 0) fail("no room for device %d", index);
    setsockopt(device->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(device->socket, (struct sockaddr *)&peer, sizeof peer) != 0 && errno != EINPROGRESS) fail("%s: %s", address, strerror(errno));
    SSL_set_fd(device->tls, device->socket);
    watch(device->socket, EPOLLOUT, index, EPOLL_CTL_ADD);
}

// Pings whom nothing was heard of for a while.
static void keep_alive(int64_t now) {
    // What is heard meanwhile only moves a device's time away: no other event needs to look at all of them.
    next_check = now + PING_AFTER_NS;
    for (int i = 0; i < device_count; i++) {
        struct device *device = &devices[i];
        int64_t lost = device->heard + LOST_AFTER_NS, ping = device->heard + PING_AFTER_NS;
        if (now >= lost) fail("device %d is silent", i);
        if (device->phase == OPEN && !device->pinged && now >= ping) {
            send_message(device, PLATFORM, HEARTBEAT, "{\"type\":\"PING\"}");
            device->pinged = now;
        }
        int64_t due = device->pinged || device->phase != OPEN ? lost : ping;
        if (due < next_check) next_check = due;
    }
}

// MARK: MQTT

static void commanded(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context;
    int index, end = 0;
    char percent[16] = "", payload[128];
    sscanf(message->topic, "floor/%d/set/volume%n", &index, &end);
    if (!end || index < 0 || index >= device_count || message->payloadlen >= (int)sizeof percent) return;
    memcpy(percent, message->payload, (size_t)message->payloadlen);
    snprintf(payload, sizeof payload, "{\"type\":\"SET_VOLUME\",\"requestId\":%u,\"volume\":{\"level\":%.2f}}", ++devices[index].request,
             atof(percent) / 100);
    send_message(&devices[index], PLATFORM, RECEIVER, payload);
}

static void connect_broker(int port) {
    mosquitto_lib_init();
    broker = mosquitto_new("floor", true, NULL);
    if (!broker) fail("no room for the MQTT client");
    mosquitto_int_option(broker, MOSQ_OPT_TCP_NODELAY, 1);
    // For each acknowledgement the library walks over all that are in flight: with thousands, nothing else would be measured.
    mosquitto_max_inflight_messages_set(broker, 100);
    mosquitto_message_callback_set(broker, commanded);
    int result = mosquitto_connect(broker, "127.0.0.1", port, 60);
    if (result == MOSQ_ERR_SUCCESS) result = mosquitto_subscribe(broker, NULL, "floor/+/set/volume", 1);
    if (result != MOSQ_ERR_SUCCESS) fail("broker: %s", mosquitto_strerror(result));
    watch(mosquitto_socket(broker), EPOLLIN, BROKER_INDEX, EPOLL_CTL_ADD);
}

static void serve_broker(unsigned events) {
    int result = events & EPOLLIN ? mosquitto_loop_read(broker, 1) : MOSQ_ERR_SUCCESS;
    if (result == MOSQ_ERR_SUCCESS && events & EPOLLOUT) result = mosquitto_loop_write(broker, 1);
    if (result != MOSQ_ERR_SUCCESS) fail("broker: %s", mosquitto_strerror(result));
}

// MARK: Program

static struct sizes parse_sizes(char *list) {
    struct sizes sizes = {0};
    if (strcmp(list, "-") == 0) return sizes;
    for (char *part = strtok(list, ","); part && sizes.count < MAX_SIZES; part = strtok(NULL, ",")) {
        size_t size = strtoul(part, NULL, 10);
        if (size > MAX_FRAME) fail("%s is too large", part);
        sizes.of[sizes.count++] = size;
    }
    return sizes;
}

int main(int count, char **arguments) {
    if (count < 5 || count - 4 > MAX_DEVICES) fail("usage: floor PORT RECEIVER_SIZES MEDIA_SIZES ADDRESS...");
    signal(SIGPIPE, SIG_IGN);
    epoll_descriptor = epoll_create1(EPOLL_CLOEXEC);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (epoll_descriptor < 0 || !context) fail("no epoll or no TLS");
    receiver_sizes = parse_sizes(arguments[2]);
    media_sizes = parse_sizes(arguments[3]);
    connect_broker(atoi(arguments[1]));
    device_count = count - 4;
    for (int i = 0; i < device_count; i++) connect_device(context, i, arguments[4 + i]);
    bool writes = false;
    for (;;) {
        struct epoll_event events[128];
        int64_t now = now_ns();
        if (now >= next_check) keep_alive(now);
        int ready = epoll_wait(epoll_descriptor, events, 128, (int)((next_check - now + 999999) / 1000000));
        if (ready < 0 && errno != EINTR) fail("epoll_wait: %s", strerror(errno));
        for (int i = 0; i < ready; i++) {
            if (events[i].data.u32 == BROKER_INDEX) serve_broker(events[i].events);
            else advance(&devices[events[i].data.u32]);
        }
        mosquitto_loop_misc(broker);
        if (mosquitto_want_write(broker) != writes) {
            writes = !writes;
            watch(mosquitto_socket(broker), writes ? EPOLLIN | EPOLLOUT : EPOLLIN, BROKER_INDEX, EPOLL_CTL_MOD);
        }
    }
}
