import MulticastDNS

/// The announcement of a device: whether it is announced, and whether it may be.
final class DeviceAnnouncement {
    private let announcing: Announcing?
    private var isAnnounced = false
    private(set) var isSilent = false

    /// - Parameter announcing: the announcer; `nil` announces nothing.
    init(_ announcing: Announcing?) { self.announcing = announcing }

    func setSilent(_ isSilent: Bool) { self.isSilent = isSilent }

    /// Announces the device, unless it is silent; returns when its name is confirmed as unique.
    nonisolated(nonsending) func begin(_ service: AnnouncedService) async throws {
        guard let announcer = self.announcing?.announcer, !self.isAnnounced, !self.isSilent else { return }
        self.isAnnounced = true
        do { try await announcer.announce(service) } catch {
            self.isAnnounced = false
            throw error
        }
    }

    func update(_ service: AnnouncedService) { if self.isAnnounced { self.announcing?.update(service) } }

    nonisolated(nonsending) func withdraw(_ service: AnnouncedService, goodbye: Bool) async {
        guard self.isAnnounced else { return }
        self.isAnnounced = false
        try? await self.announcing?.announcer.withdraw(service, sendGoodbye: goodbye)
    }
}
