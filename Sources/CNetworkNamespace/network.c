#include "network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network_namespace.h"

/// A request of rtnetlink(7).
struct request {
    struct nlmsghdr header;
    union {
        struct ifinfomsg link;
        struct ifaddrmsg address;
        struct rtmsg route;
        char space[256];
    } body;
};

static void begin(struct request *request, uint16_t type, size_t size) {
    memset(request, 0, sizeof *request);
    request->header.nlmsg_type = type;
    request->header.nlmsg_len = NLMSG_LENGTH(size);
    request->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
}

static struct rtattr *append(struct request *request, uint16_t type, const void *data, size_t size) {
    struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = RTA_LENGTH(size);
    if (size > 0) memcpy(RTA_DATA(attribute), data, size);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

/// Ends an attribute that contains others.
static void end(struct request *request, struct rtattr *attribute) {
    attribute->rta_len = (char *)request + request->header.nlmsg_len - (char *)attribute;
}

/// Sends the request and waits for its acknowledgement.
static int perform(int netlink, struct request *request) {
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char request[sizeof(struct request)];
    } answer;
    if (send(netlink, request, request->header.nlmsg_len, 0) < 0) return -1;
    if (recv(netlink, &answer, sizeof answer, 0) < (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -1;
    errno = -answer.error.error;
    return answer.error.error == 0 ? 0 : -1;
}

static int add_card(int netlink) {
    struct request request;
    begin(&request, RTM_NEWLINK, sizeof request.body.link);
    append(&request, IFLA_IFNAME, NETWORK_NAMESPACE_CARD, sizeof NETWORK_NAMESPACE_CARD);
    struct rtattr *information = append(&request, IFLA_LINKINFO, NULL, 0);
    append(&request, IFLA_INFO_KIND, "veth", 4);
    struct rtattr *data = append(&request, IFLA_INFO_DATA, NULL, 0);
    struct ifinfomsg other = {0};
    struct rtattr *peer = append(&request, VETH_INFO_PEER, &other, sizeof other);
    append(&request, IFLA_IFNAME, "cast1", sizeof "cast1");
    end(&request, peer);
    end(&request, data);
    end(&request, information);
    return perform(netlink, &request);
}

static int switch_on(int netlink, const char *name) {
    struct request request;
    begin(&request, RTM_NEWLINK, sizeof request.body.link);
    request.body.link.ifi_index = (int)if_nametoindex(name);
    request.body.link.ifi_flags = request.body.link.ifi_change = IFF_UP | IFF_MULTICAST;
    return perform(netlink, &request);
}

static int add_address(int netlink, uint32_t address) {
    struct request request;
    begin(&request, RTM_NEWADDR, sizeof request.body.address);
    request.body.address.ifa_family = AF_INET;
    request.body.address.ifa_prefixlen = 16;
    request.body.address.ifa_index = if_nametoindex(NETWORK_NAMESPACE_CARD);
    append(&request, IFA_LOCAL, &address, sizeof address);
    return perform(netlink, &request);
}

static int add_route(int netlink, uint32_t destination, unsigned char length, unsigned char type, const char *name) {
    struct request request;
    uint32_t interface = if_nametoindex(name);
    begin(&request, RTM_NEWROUTE, sizeof request.body.route);
    request.body.route.rtm_family = AF_INET;
    request.body.route.rtm_dst_len = length;
    request.body.route.rtm_type = type;
    request.body.route.rtm_table = type == RTN_LOCAL ? RT_TABLE_LOCAL : RT_TABLE_MAIN;
    request.body.route.rtm_scope = type == RTN_LOCAL ? RT_SCOPE_HOST : RT_SCOPE_LINK;
    request.body.route.rtm_protocol = RTPROT_BOOT;
    append(&request, RTA_DST, &destination, sizeof destination);
    append(&request, RTA_OIF, &interface, sizeof interface);
    return perform(netlink, &request);
}

int make_network(uint32_t address) {
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (netlink < 0) return -1;
    // On the loopback interface every address of 127.0.0.0/8 exists already; the card gets a network of its own then.
    uint32_t network = ntohl(address) >> 24 == 127 ? 0x0a620000 : ntohl(address) & 0xffff0000;
    int result = -1;
    if (switch_on(netlink, "lo") == 0 && add_card(netlink) == 0 && switch_on(netlink, NETWORK_NAMESPACE_CARD) == 0
        && switch_on(netlink, "cast1") == 0 && add_address(netlink, htonl(network | 0xfffe)) == 0
        // A device may be at any address of the network, and move to any other.
        && add_route(netlink, htonl(network), 16, RTN_LOCAL, "lo") == 0
        && add_route(netlink, htonl(0xe0000000), 4, RTN_UNICAST, NETWORK_NAMESPACE_CARD) == 0)
        result = 0;
    int reason = errno;
    close(netlink);
    errno = reason;
    return result;
}
