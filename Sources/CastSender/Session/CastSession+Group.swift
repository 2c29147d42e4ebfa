import CastModels
import CastProtocol
import NIOCore

/// Controls speaker groups: their members and the volume of each (multizone namespace). On a device that is not a group, these requests
/// fail.
extension CastSession {
    /// The members as reported so far; `nil` before the first request.
    public var multizoneStatus: MultizoneStatus? { self.group.status }

    /// The members and their changes; the first value is `nil` until the group has answered. Reading the property sends a request to the
    /// group.
    public var multizoneStatuses: StateSequence<MultizoneStatus?> {
        let source = self.observed.multizone
        if self.group.status == nil, self.isConnected { self.askMultizoneStatus() }
        return source.sequence
    }

    /// Requests the members of the group (GET_STATUS). A newly formed group may report some of them and add the others later.
    ///
    /// - Throws: `invalidRequest` or `timeout` from devices that are not groups.
    @discardableResult
    public func requestMultizoneStatus() async throws(CastError) -> MultizoneStatus {
        let content = try await self.groupRequest("GET_STATUS") { MultizoneMessage.getStatus(requestID: $0) }
        if case .multizone(.status(let status)) = content { return self.group.status ?? status }
        throw CastError(.invalidResponse, detail: "the device answered with something else")
    }

    /// Requests the groups that this speaker belongs to (GET_CASTING_GROUPS).
    public func requestCastingGroups() async throws(CastError) -> [CastingGroup] {
        let content = try await self.groupRequest("GET_CASTING_GROUPS") { MultizoneMessage.getCastingGroups(requestID: $0) }
        if case .multizone(.castingGroups(let groups)) = content { return groups }
        throw CastError(.invalidResponse, detail: "the device answered with something else")
    }

    /// Sets the volume of one member through the group (SET_DEVICE_VOLUME, for muting SET_VOLUME, with `deviceId`). These messages are
    /// known from another sender and are not verified on devices. `SessionManager.setDeviceVolume` uses the member's own link, which always
    /// works.
    ///
    /// - Parameters:
    ///   - level: 0 to 1.
    ///   - member: the member's id.
    /// - Throws: `invalidRequest` for a level out of range, and from groups that do not know the member or the request; `timeout`.
    public func setMemberVolume(level: Double, of member: Device.ID) async throws(CastError) {
        guard (0...1).contains(level) else { throw .invalidArgument("level", "0 to 1, not \(level)") }
        try await self.setMemberVolume(DeviceVolume(level: level), of: member)
    }

    /// Mutes or unmutes one member through the group; otherwise like `setMemberVolume(level:of:)`.
    public func setMemberMuted(_ isMuted: Bool, of member: Device.ID) async throws(CastError) {
        try await self.setMemberVolume(DeviceVolume(isMuted: isMuted), of: member)
    }

    private func setMemberVolume(_ volume: DeviceVolume, of member: Device.ID) async throws(CastError) {
        guard let id = Device.id(normalizing: member) else { throw .invalidArgument("member", "no device id") }
        let spelledID = self.group.status?.devices.first { $0.id == id }?.spelledID ?? id
        _ = try await self.groupRequest(volume.level == nil ? "SET_VOLUME" : "SET_DEVICE_VOLUME") {
            MultizoneMessage.setVolume(volume, of: spelledID, requestID: $0)
        }
    }

    private func groupRequest(_ name: String, _ text: @escaping @Sendable (Int) -> String) async throws(CastError)
        -> ReceivedPayload.Content?
    {
        try await self.request(self.groupQuestion(name, text))?.content
    }

    private func groupQuestion(_ name: String, _ text: @escaping @Sendable (Int) -> String) -> CastRequest {
        CastRequest(CastNamespace.multizone, timeout: self.configuration.requestTimeout, name: name, text)
    }

    /// Requests the members of the group without waiting for the answer, which arrives as `multizoneStatus`.
    public func askMultizoneStatus() { if self.isConnected { self.askForMembers() } }

    private func askForMembers() { self.send(self.groupQuestion("GET_STATUS") { MultizoneMessage.getStatus(requestID: $0) }) }
}
