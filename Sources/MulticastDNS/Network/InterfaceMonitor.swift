import Glibc
import NIOCore
import NIOPosix

/// Reports when links or addresses of the system may have changed. Used on its event loop only.
///
/// Netlink wakes it; where netlink is refused (some sandboxes), it polls.
final class InterfaceMonitor {
    /// One change of the system causes several messages; the first one starts this wait.
    static let gathering = TimeAmount.milliseconds(20)

    private let eventLoop: any EventLoop
    private let pollInterval: TimeAmount
    private let usesNetlink: Bool
    private let onChange: () -> Void
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    private var isStopped = false

    /// - Parameter usesNetlink: `false` polls, as where netlink is refused.
    init(eventLoop: any EventLoop, pollInterval: TimeAmount = .seconds(5), usesNetlink: Bool = true, onChange: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.pollInterval = pollInterval
        self.usesNetlink = usesNetlink
        self.onChange = onChange
    }

    func start() {
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        guard self.usesNetlink, let descriptor = Self.open() else { return self.wake(after: self.pollInterval) }
        NIOPipeBootstrap(group: self.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NetlinkHandler { bound.value.wake(after: Self.gathering) })
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .whenComplete { bound.value.opened($0, descriptor) }
    }

    private func opened(_ result: Result<any Channel, any Error>, _ descriptor: CInt) {
        switch result {
        case .failure:
            close(descriptor)
            self.wake(after: self.pollInterval)
        case .success(let channel):
            guard !self.isStopped else { return channel.close(promise: nil) }
            self.channel = channel
            let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
            channel.closeFuture.whenComplete { _ in bound.value.closed() }
            // Changes from before the socket was open may have been missed.
            self.wake(after: Self.gathering)
        }
    }

    /// The socket fails when the system's queue overflows: check the interfaces and open it again.
    private func closed() {
        self.channel = nil
        self.wake(after: .seconds(1))
    }

    private func wake(after delay: TimeAmount) {
        guard !self.isStopped, self.timer == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.timer = self.eventLoop.scheduleTask(in: delay) { bound.value.look() }
    }

    private func look() {
        self.timer = nil
        self.onChange()
        if self.channel == nil { self.start() }
    }

    func stop() -> EventLoopFuture<Void> {
        self.isStopped = true
        self.timer?.cancel()
        self.timer = nil
        guard let channel = self.channel else { return self.eventLoop.makeSucceededVoidFuture() }
        channel.close(promise: nil)
        return channel.closeFuture
    }

    private static func open() -> CInt? {
        let kind = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_NETLINK, kind, NetlinkAddress.routeProtocol)
        guard descriptor >= 0 else { return nil }
        var address = NetlinkAddress()
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<NetlinkAddress>.size)) }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

/// `sockaddr_nl` of <linux/netlink.h>, which the Glibc module lacks, with the groups of links and addresses (<linux/rtnetlink.h>).
private struct NetlinkAddress {
    static let routeProtocol: CInt = 0

    let family = sa_family_t(AF_NETLINK)
    let padding: UInt16 = 0
    let portID: UInt32 = 0
    /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR.
    let groups: UInt32 = 0x1 | 0x10 | 0x100
}

/// Treats any message as a change: the interfaces are then read again.
private final class NetlinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let onMessage: () -> Void

    init(onMessage: @escaping () -> Void) { self.onMessage = onMessage }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.onMessage() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
