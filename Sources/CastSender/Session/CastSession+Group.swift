import CastModels
import CastProtocol
import NIOCore

/// Speaker groups: their members and how loud each is (multizone namespace). On a device that is no group these requests fail.
extension CastSession {
    /// The members as told so far; `nil` before anybody asked.
    public var multizoneStatus: MultizoneStatus? { self.group.status }

    /// The members, and each newer state of them; the first value is `nil` until the group has answered. Asks the group.
    public var multizoneStatuses: StateSequence<MultizoneStatus?> {
        let source = self.observed.multizone
        if self.group.status == nil, self.isConnected { self.askMultizoneStatus() }
        return source.sequence
    }

    /// Asks the group for its members (GET_STATUS). A group that has just formed may tell a part of them and add the others later.
    ///
    /// - Throws: `invalidRequest` or `timeout` from devices that are no group.
    @discardableResult
    public func requestMultizoneStatus() async throws(CastError) -> MultizoneStatus {
        let content = try await self.groupRequest { id throws(CastError) in MultizoneMessage.getStatus(requestID: id) }
        if case .multizone(.status(let status)) = content { return self.group.status ?? status }
        throw CastError(.invalidResponse, detail: "the device answered with something else")
    }

    /// The groups that this speaker belongs to (GET_CASTING_GROUPS).
    public func requestCastingGroups() async throws(CastError) -> [CastingGroup] {
        let content = try await self.groupRequest { id throws(CastError) in MultizoneMessage.getCastingGroups(requestID: id) }
        if case .multizone(.castingGroups(let groups)) = content { return groups }
        throw CastError(.invalidResponse, detail: "the device answered with something else")
    }

    /// Sets the volume of one member through the group, in the words of another sender that nobody has verified on devices (SET_DEVICE_VOLUME,
    /// for muting SET_VOLUME, with `deviceId`). `SessionManager.setDeviceVolume` speaks to the member itself, which always obeys.
    ///
    /// - Parameter level: 0 to 1.
    /// - Throws: `invalidRequest` for another level, and from groups that don't know the member or the request; `timeout`.
    public func setMemberVolume(level: Double, of member: Device.ID) async throws(CastError) {
        guard (0...1).contains(level) else { throw .invalidArgument("level", "0 to 1, not \(level)") }
        try await self.setMemberVolume(DeviceVolume(level: level), of: member)
    }

    /// Mutes or unmutes one member through the group; otherwise as for its volume.
    public func setMemberMuted(_ isMuted: Bool, of member: Device.ID) async throws(CastError) {
        try await self.setMemberVolume(DeviceVolume(isMuted: isMuted), of: member)
    }

    private func setMemberVolume(_ volume: DeviceVolume, of member: Device.ID) async throws(CastError) {
        guard let id = Device.id(normalizing: member) else { throw .invalidArgument("member", "no device id") }
        let spelledID = self.group.status?.devices.first { $0.id == id }?.spelledID ?? id
        _ = try await self.groupRequest { requestID throws(CastError) in
            MultizoneMessage.setVolume(volume, of: spelledID, requestID: requestID)
        }
    }

    private func groupRequest(_ payload: @Sendable (Int) throws(CastError) -> String) async throws(CastError) -> ReceivedPayload.Content? {
        try await self.request(
            namespace: CastNamespace.multizone, to: CastMessage.platformReceiverID, timeout: self.configuration.requestTimeout,
            payload: payload)
    }

    /// Asks the group for its members without waiting for them: they come as `multizoneStatus`.
    public func askMultizoneStatus() {
        self.sendRequest(
            namespace: CastNamespace.multizone, to: CastMessage.platformReceiverID, timeout: self.configuration.requestTimeout,
            name: "GET_STATUS", payload: { id throws(CastError) in MultizoneMessage.getStatus(requestID: id) }, completion: { _ in })
    }

    /// The device reported something about a group.
    func groupChanged(_ message: MultizoneMessage) {
        let former = self.group.status
        let changes = self.group.apply(message)
        if let status = self.group.status, status != former { self.report(.multizoneStatus(status)) }
        self.observation?.multizone.setIfChanged(self.group.status)
        for change in changes { self.report(.groupChanged(change)) }
    }
}
