import MulticastDNSAnnouncing

/// The announcement of a device: whether it is announced, and whether it may be.
final class DeviceAnnouncement {
    private let announcer: ServiceAnnouncer?
    private var isAnnounced = false
    private(set) var isSilent = false

    /// - Parameter announcer: `nil` announces nothing.
    init(_ announcer: ServiceAnnouncer?) { self.announcer = announcer }

    func setSilent(_ isSilent: Bool) { self.isSilent = isSilent }

    /// Announces the device, unless it is silent; returns when its name is confirmed as unique.
    nonisolated(nonsending) func begin(_ service: AnnouncedService) async throws {
        guard let announcer, !self.isAnnounced, !self.isSilent else { return }
        self.isAnnounced = true
        do { try await announcer.announce(service) } catch {
            self.isAnnounced = false
            throw error
        }
    }

    func update(_ service: AnnouncedService) {
        guard self.isAnnounced, let announcer else { return }
        announcer.eventLoop.execute { announcer.assumeIsolated { try? $0.update(service) } }
    }

    nonisolated(nonsending) func withdraw(_ service: AnnouncedService, goodbye: Bool) async {
        guard self.isAnnounced else { return }
        self.isAnnounced = false
        try? await self.announcer?.withdraw(service, sendGoodbye: goodbye)
    }
}
