import Glibc
import MulticastDNS
import MulticastDNSAnnouncing
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// A real avahi-daemon shares port 5353 and the interface with our browser.
@Suite("Beside avahi-daemon", .enabled(if: LoopHost.isExpected), .timeLimit(.minutes(5)))
struct AvahiTests {
    /// Writes its own configuration and service file below a private /run and /etc/avahi/services, then becomes avahi-daemon.
    private static let script = """
        set -e
        mount -t tmpfs tmpfs /run
        mount -t tmpfs tmpfs /etc/avahi/services
        mkdir /run/avahi-daemon
        cat > /run/avahi.conf <<END
        [server]
        host-name=shelf
        use-ipv4=yes
        use-ipv6=yes
        allow-interfaces=veth0
        enable-dbus=no
        END
        cat > /etc/avahi/services/cast.service <<END
        <?xml version="1.0" standalone="no"?>
        <!DOCTYPE service-group SYSTEM "avahi-service.dtd">
        <service-group>
          <name>Shelf. Speaker</name>
          <service>
            <type>_googlecast._tcp</type>
            <port>8009</port>
            <txt-record>id=0123456789abcdef</txt-record>
            <txt-record>fn=Küche</txt-record>
          </service>
        </service-group>
        END
        # As root of the machine it changes to a user of its own, as on real systems. A user namespace has but one user, to which it would
        # still give its directory: there its account is that user.
        stay=
        if ! grep -q 4294967295 /proc/self/uid_map; then
            stay=--no-drop-root
            for accounts in passwd group; do
                sed -E '/^avahi:/s/:[0-9]+(:[0-9]+)?:/:0\\1:/; /^avahi:/s/:0:[0-9]+:/:0:0:/' /etc/$accounts > /run/$accounts
                mount --bind /run/$accounts /etc/$accounts
            done
        fi
        # It must not outlive a test process that crashed.
        parent=$PPID
        (while kill -0 $parent && kill -0 $$; do sleep 1; done; kill $$) 2> /dev/null &
        exec avahi-daemon $stay --no-chroot --no-rlimits -f /run/avahi.conf
        """

    @Test("browser and avahi-daemon both work on one port and interface", arguments: [true, false])
    func sharesPort(avahiFirst: Bool) async throws {
        let (near, far) = (try await LoopHost(), try await LoopHost())
        try await LoopHost.connect(near, far)
        for (host, number) in [(near, 1), (far, 2)] {
            try await host.namespace.run("ip", "address", "add", "10.7.0.\(number)/24", "dev", "veth0")
            try await host.namespace.run("ip", "link", "set", "veth0", "up")
        }
        let type = "_googlecast._tcp.local"
        let (beside, across) = (ChangeRecorder(), ChangeRecorder())
        let besideBrowser = Browser(serviceType: type, eventLoop: near.loop, logger: quiet, onChange: beside.record)
        let acrossBrowser = Browser(serviceType: type, eventLoop: far.loop, logger: quiet, onChange: across.record)
        let announcer = ServiceAnnouncer(eventLoop: far.loop, logger: quiet)

        let start = { try await ChildProcess("unshare", ["-m", "sh", "-c", Self.script], namespace: near.namespace) }
        var avahi = avahiFirst ? try await start() : nil
        if avahiFirst { await self.waitUntilAnswering(far) }
        try await running([besideBrowser.run, acrossBrowser.run, announcer.run]) {
            try await announcer.announce(service("tv", type: type, addresses: ["10.7.0.2"]))
            await beside.wait("the announced service beside avahi", untilServices: { $0["tv"] != nil })
            if avahi == nil { avahi = try await start() }
            for recorder in [beside, across] {
                await recorder.wait(
                    "avahi's service with its address",
                    untilServices: { $0["Shelf. Speaker"]?.addresses.contains { $0.description == "10.7.0.1" } == true })
                let found = recorder.services["Shelf. Speaker"]
                #expect(found?.port == 8009 && found?.hostName == "shelf.local" && found?.text.string("fn") == "Küche")
            }
            // Unicast to port 5353 still belongs to avahi, although our socket may be the younger one.
            await self.waitUntilAnswering(far)
            try await avahi?.stop()
            for recorder in [beside, across] {
                await recorder.wait("avahi's goodbye", untilServices: { $0["Shelf. Speaker"] == nil && $0["tv"] != nil })
            }
        }
        await near.end()
        await far.end()
    }

    /// Asks port 5353 of 10.7.0.1 by unicast until an answer names avahi's host, at most 30 s.
    private func waitUntilAnswering(_ host: LoopHost) async {
        let answer = try? await host.loop.flatSubmit {
            let promise = host.loop.makePromise(of: Bool.self)
            let bootstrap = DatagramBootstrap(group: host.loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(UnicastAsker(promise: promise))
                }
            }
            host.loop.scheduleTask(in: .seconds(30)) { promise.succeed(false) }
            return bootstrap.bind(host: "10.7.0.2", port: 0).flatMap { channel in
                promise.futureResult.always { _ in channel.close(promise: nil) }
            }
        }.get()
        #expect(answer == true, "avahi-daemon does not answer unicast on port 5353")
    }
}

/// Sends `shelf.local A` to 10.7.0.1:5353 every 100 ms and succeeds with the first response.
private final class UnicastAsker: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let promise: EventLoopPromise<Bool>

    init(promise: EventLoopPromise<Bool>) { self.promise = promise }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let query: [UInt8] = [0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 5] + Array("shelf".utf8) + [5] + Array("local".utf8) + [0, 0, 1, 0, 1]
        let task = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(100)) { _ in
            guard let target = try? SocketAddress(ipAddress: "10.7.0.1", port: 5353) else { return }
            let envelope = AddressedEnvelope(remoteAddress: target, data: ByteBuffer(bytes: query))
            bound.value.writeAndFlush(NIOAny(envelope), promise: nil)
        }
        context.channel.closeFuture.whenComplete { _ in task.cancel() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let packet = self.unwrapInboundIn(data).data
        if packet.getInteger(at: packet.readerIndex + 2, as: UInt16.self).map({ $0 & 0x8000 != 0 }) == true { self.promise.succeed(true) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
