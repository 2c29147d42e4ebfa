import MulticastDNS
import MulticastDNSAnnouncing
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension SimulatedDevice {
    /// The number of connections that the kernel may hold for a device that does not accept them.
    private static let backlog: Int32 = 128

    func bindCast() async throws(SimulatorError) -> any Channel {
        try await self.bind(port: self.endpoint.port) { channel in try self.assumeIsolated { try $0.accept(channel) } }
    }

    func bindWeb(port: Int, secure: Bool) async throws(SimulatorError) -> any Channel {
        try await self.bind(port: port) { channel in
            try self.assumeIsolated { device in
                let pipeline = channel.pipeline.syncOperations
                if secure { try pipeline.addHandler(device.certificate.tlsHandler(of: device.description.uuid)) }
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

    // MARK: Announcing

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
        guard let service else { return }
        do { try await self.announcement.begin(service) } catch {
            throw SimulatorError(.resource, "\(self.description.controlName) cannot be announced: \(error)")
        }
        // Apply changes made while the name was being probed.
        self.updateAnnouncement()
    }

    func updateAnnouncement() { if let service { self.announcement.update(service) } }

    func withdraw(goodbye: Bool) async { if let service { await self.announcement.withdraw(service, goodbye: goodbye) } }
}
