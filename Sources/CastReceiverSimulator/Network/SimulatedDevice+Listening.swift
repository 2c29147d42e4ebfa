import CastTransport
import MulticastDNS
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension SimulatedDevice {
    /// The number of connections that the kernel may hold for a device that does not accept them.
    private static let backlog: Int32 = 128

    /// Opens the Cast server and, for devices, the web servers of `eureka_info`.
    ///
    /// - Throws: `SimulatorError` `resource` naming the address that cannot be used; all listeners are then closed.
    func listen() async throws(SimulatorError) {
        do throws(SimulatorError) {
            let cast = try await self.bind(port: self.endpoint.port) { channel in try self.assumeIsolated { try $0.accept(channel) } }
            self.castListener = cast
            self.endpoint.port = cast.localAddress?.port ?? self.endpoint.port
            guard !self.description.isGroup else { return }
            if let port = self.environment.ports.http { self.webListeners.append(try await self.bindWeb(port: port, secure: false)) }
            if let port = self.environment.ports.https { self.webListeners.append(try await self.bindWeb(port: port, secure: true)) }
        } catch {
            await self.stopListening()
            throw error
        }
    }

    func stopListening() async {
        let listeners = [self.castListener].compactMap { $0 } + self.webListeners
        (self.castListener, self.webListeners) = (nil, [])
        for listener in listeners { try? await listener.close().get() }
    }

    private func bindWeb(port: Int, secure: Bool) async throws(SimulatorError) -> any Channel {
        try await self.bind(port: port) { channel in
            try self.assumeIsolated { device in
                let pipeline = channel.pipeline.syncOperations
                if secure { try pipeline.addHandler(device.tlsHandler()) }
                try pipeline.addHandler(IdleStateHandler(allTimeout: EurekaHandler.idleTimeout))
                try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
                try pipeline.addHandler(EurekaHandler(device: device, port: port))
            }
        }
    }

    private func bind(port: Int, configure: @escaping @Sendable (any Channel) throws -> Void) async throws(SimulatorError) -> any Channel {
        let address = self.endpoint.address
        do {
            return try await ServerBootstrap(group: self.eventLoop)
                .serverChannelOption(.backlog, value: Self.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4_096))
                .childChannelOption(.writeBufferWaterMark, value: .init(low: 65_536, high: 262_144))
                .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try configure(channel) } }
                .bind(host: address, port: port).get()
        } catch {
            throw SimulatorError(.resource, "\(self.description.controlName) cannot listen on \(address):\(port): \(error)")
        }
    }

    /// Returns a TLS handler with the current certificate, which is renewed when it is old.
    func tlsHandler() throws -> NIOSSLServerHandler {
        let now = WallClock.now
        let current: SelfSignedCertificate
        if let certificate, now.timeIntervalSince(certificate.madeAt) < SelfSignedCertificate.renewalAge, let tlsContext {
            return NIOSSLServerHandler(context: tlsContext)
        }
        current = try SelfSignedCertificate(commonName: self.description.uuid, at: now)
        let context = try CastTLS.serverContext(current.identity)
        (self.certificate, self.tlsContext) = (current, context)
        return NIOSSLServerHandler(context: context)
    }

    // MARK: Announcing

    /// The current announcement.
    var service: AnnouncedService? {
        guard let address = ServiceAddress(self.endpoint.address), let port = UInt16(exactly: self.endpoint.port), port != 0 else {
            return nil
        }
        let (description, announcement) = (self.description, self.model.announced)
        let text = try? TXTRecord([
            "id": description.id, "cd": description.cloudDeviceID, "rm": "", "ve": "05", "md": description.model.name,
            "ic": "/setup/icon.png",
            "fn": description.friendlyName, "ca": String(description.capabilities), "st": announcement.isBusy ? "1" : "0",
            "bs": description.hotspotAddress, "nf": "1", "rs": announcement.statusText,
        ])
        guard let text else { return nil }
        return AnnouncedService(
            instanceName: description.instanceName, serviceType: "_googlecast._tcp.local", hostName: "\(self.endpoint.hostUUID).local",
            port: port,
            text: text, addresses: [address])
    }

    /// Announces the device; returns when its name is confirmed as unique.
    func announce() async throws(SimulatorError) {
        guard let announcer = self.environment.announcer?.announcer, let service, !self.isAnnounced, !self.isSilent else { return }
        self.isAnnounced = true
        do { try await announcer.announce(service) } catch {
            self.isAnnounced = false
            throw SimulatorError(.resource, "\(self.description.controlName) cannot be announced: \(error)")
        }
        // Apply changes made while the name was being probed.
        self.updateAnnouncement()
    }

    func updateAnnouncement() {
        guard self.isAnnounced, let service else { return }
        self.environment.announcer?.update(service)
    }

    func withdraw(goodbye: Bool) async {
        guard self.isAnnounced, let service else { return }
        self.isAnnounced = false
        try? await self.environment.announcer?.announcer.withdraw(service, sendGoodbye: goodbye)
    }
}
