import CastModels
import CastTestSupport
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import CastSender

/// The whole way over real sockets and TLS; everything else is tested in memory.
@Suite(.timeLimit(.minutes(5))) struct TLSLinkTests {
    @Test("a device is connected, commanded from another thread, lost, found again and left")
    func connectedLostFound() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let receiver = FakeReceiver()
        let server = try await TLSReceiver.listen(receiver, on: MultiThreadedEventLoopGroup.singleton.next())
        let port = try #require(server.localAddress?.port)
        let log = LinkEventLog()
        let supervisor = DeviceSupervisor(
            device: "aa11", endpoints: [DeviceEndpoint(host: "::1", port: port), DeviceEndpoint(host: "localhost", port: port)],
            eventLoop: loop, connector: try TLSConnector(), handshakeGate: HandshakeGate(), logger: Logger(label: "test")
        ) { log.add($0, at: .now()) }
        let task = Task { await supervisor.run() }
        try await eventually("the link changes") { log.readyTimes.count == 1 }
        let session = try #require(await supervisor.session)
        try await session.setDeviceVolume(level: 0.25)
        #expect(await session.receiverStatus?.volume?.level == 0.25)
        try await session.launch("CC1AD845")
        let media = MediaInformation(contentID: "http://h/a.mp4", contentType: "video/mp4")
        try await session.remoteMediaClient.load(MediaLoadRequest(media: media), in: "CC1AD845")
        try await session.remoteMediaClient.pause()
        #expect(await session.mediaStatus?.playerState == .paused)
        async let first: Void = session.remoteMediaClient.seek(to: .position(10))
        async let second: Void = session.remoteMediaClient.setStreamVolume(0.5)
        _ = try await (first, second)

        receiver.dropConnections()
        try await eventually("the link changes") { log.readyTimes.count == 2 }
        try await session.setDeviceMuted(true)
        #expect(await session.receiverStatus?.volume?.isMuted == true, "the session goes on over the next link")
        #expect(log.lastMedia?.playerState == .paused)

        let start = ContinuousClock.now
        task.cancel()
        await task.value
        #expect(ContinuousClock.now - start < .seconds(20))
        try await eventually("the link changes") { receiver.openConnections == 0 }
        #expect(receiver.journal.last?.type == "CLOSE")
        try await server.close()
    }

    @Test("cancelling a request from outside ends it, and the next one works")
    func cancel() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let receiver = FakeReceiver { $0.volumeAnswer = .nothing }
        let server = try await TLSReceiver.listen(receiver, on: loop)
        let log = LinkEventLog()
        let supervisor = DeviceSupervisor(
            device: nil, endpoints: [DeviceEndpoint(host: "127.0.0.1", port: try #require(server.localAddress?.port))], eventLoop: loop,
            connector: try TLSConnector(), handshakeGate: HandshakeGate(), logger: Logger(label: "test")
        ) { log.add($0, at: .now()) }
        let task = Task { await supervisor.run() }
        try await eventually("the link changes") { log.readyTimes.count == 1 }
        let session = try #require(await supervisor.session)
        let request = Task { await result { () async throws(CastError) in try await session.setDeviceVolume(level: 0.1) } }
        try await eventually("the link changes") { receiver.types("cast.receiver").contains("SET_VOLUME") }
        request.cancel()
        guard case .failure(let error) = await request.value else { throw CastError(.invalidState, detail: "it should be cancelled") }
        #expect(error.code == .cancelled)
        try await session.requestReceiverStatus()
        task.cancel()
        await task.value
        try await server.close()
    }

    @Test(
        "numeric hosts need no look-up, link-local ones keep their scope",
        arguments: [
            ("192.168.1.31", "192.168.1.31"), ("fd00::1", "fd00::1"), ("fe80::1%lo", "fe80::1"), ("tv.lan", nil), ("localhost", nil),
            ("", nil),
            ("1.2.3", nil), ("fe80::1%no-such-interface", nil),
        ] as [(String, String?)])
    func numeric(host: String, address: String?) {
        let found = DeviceEndpoint(host: host, port: 8009).numericAddress
        if host == "1.2.3" {
            // The system reads it as 1.2.0.3, as it always has.
            #expect(found?.ipAddress == "1.2.0.3")
        } else {
            #expect(found?.ipAddress == address)
        }
        if host.contains("%lo"), case .v6(let v6)? = found { #expect(v6.address.sin6_scope_id != 0) }
    }

    @Test("families take turns, IPv4 first, newest first, nothing twice")
    func order() throws {
        let addresses = try ["fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2", "10.0.0.1", "10.0.0.3"].map {
            try SocketAddress(ipAddress: $0, port: 8009)
        }
        let order = EndpointRace.inOrder(addresses).map { $0.ipAddress ?? "" }
        #expect(order == ["10.0.0.1", "fd00::1", "10.0.0.2", "fd00::2", "10.0.0.3"])
    }

    @Test("sixteen addresses are tried in one attempt")
    func addressLimit() throws {
        let addresses = try (1...20).map { try SocketAddress(ipAddress: "10.0.0.\($0)", port: 8009) }
        #expect(EndpointRace.inOrder(addresses) == Array(addresses.prefix(16)))
    }

    @Test("a name is looked up, also by several at once; one without address is an error")
    func names() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let resolver = try TLSConnector()
        let localhost = DeviceEndpoint(host: "localhost", port: 8009)
        let futures = (0..<50).map { _ in resolver.resolve(localhost, on: loop) }
        for future in futures { #expect(try await !future.get().isEmpty) }
        await #expect(throws: CastError.self) {
            try await resolver.resolve(DeviceEndpoint(host: "no-such-host.invalid", port: 1), on: loop).get()
        }
    }
}
